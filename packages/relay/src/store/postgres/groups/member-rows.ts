// Changes of a group's members on PostgreSQL, with the entries at which they join and leave.
import type { AddedAccount } from '../../rules/judge-commit.ts'
import type { Queries } from '../connection/queries.ts'
import { noteGone } from './continuation-rows.ts'
import type { LockedGroup } from './locked-groups.ts'

type Changes = { added: readonly AddedAccount[]; removed: readonly number[]; nowMs: number }

/** Takes effect at the last logged entry: removed members receive it, added ones receive the entries after it. */
export async function changeMembers(
  tx: Queries,
  group: LockedGroup,
  { added, removed, nowMs }: Changes,
): Promise<void> {
  const gone = removed.filter(num => group.members.has(num))
  if (removed.length > 0)
    await tx.run(
      `UPDATE member SET until = coalesce(until, $3), has_left = false
       WHERE chat_group = $1 AND account = ANY ($2::integer[]) AND (until IS NULL OR has_left)`,
      [group.num, removed, group.seq],
    )
  if (gone.length > 0) await noteGone(tx, group.num, { accounts: gone, nowMs })
  const come = added.map(({ num }) => num)
  if (come.length > 0) await join(tx, group, come)
  await countGroups(tx, { gone, come })
  await tx.run("UPDATE chat_group SET roster = nextval('roster') WHERE num = $1", [group.num])
  for (const num of removed) {
    group.members.delete(num)
    group.left.delete(num)
  }
  for (const { num, id } of added) {
    group.members.set(num, id)
    group.left.delete(num)
  }
  group.roster.heardByAll.clear()
}

async function join(tx: Queries, group: LockedGroup, accounts: readonly number[]): Promise<void> {
  // Members that left and return without having been removed.
  await tx.run(
    'UPDATE member SET has_left = false WHERE chat_group = $1 AND account = ANY ($2::integer[]) AND has_left',
    [group.num, accounts],
  )
  await tx.run('INSERT INTO member (chat_group, account, since) SELECT $1, a, $3 FROM unnest($2::integer[]) a', [
    group.num,
    accounts,
    group.seq,
  ])
}

/** The member receives nothing from its farewell on. */
export async function leaveGroup(
  tx: Queries,
  group: LockedGroup,
  { account, nowMs }: { account: number; nowMs: number },
): Promise<void> {
  group.members.delete(account)
  group.left.add(account)
  await tx.run(
    'UPDATE member SET until = $3, has_left = true WHERE chat_group = $1 AND account = $2 AND until IS NULL',
    [group.num, account, group.seq],
  )
  await noteGone(tx, group.num, { accounts: [account], nowMs })
  await countGroups(tx, { gone: [account], come: [] })
  const emptyMs = group.members.size === 0 ? nowMs : null
  await tx.run("UPDATE chat_group SET roster = nextval('roster'), empty_ms = $2 WHERE num = $1", [group.num, emptyMs])
}

/** In a fixed order: two commits that name the same people would otherwise deadlock. */
async function countGroups(tx: Queries, { gone, come }: { gone: readonly number[]; come: readonly number[] }) {
  if (gone.length + come.length === 0) return
  await tx.run(
    `UPDATE account SET group_count = group_count + change.by
     FROM (SELECT account.num, count(*) FILTER (WHERE named.has_come) - count(*) FILTER (WHERE NOT named.has_come) AS by
           FROM (SELECT unnest($1::integer[]) AS num, false AS has_come
                 UNION ALL SELECT unnest($2::integer[]), true) named
           JOIN account USING (num) GROUP BY account.num) change
     WHERE account.num = change.num`,
    [gone, come],
  )
}
