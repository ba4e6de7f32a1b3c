// Which group continues which, on PostgreSQL, and who was in a group lately.
import { takesPlace, type WasIn } from '../../rules/continuations.ts'
import type { Queries } from '../connection/queries.ts'

/** The accounts that are in the group, or were in it since then. */
export async function wasInGroup(
  tx: Queries,
  { group, accounts, sinceMs }: { group: number; accounts: readonly number[]; sinceMs: number },
): Promise<WasIn> {
  const rows = await tx.rows<{ account: number }>(
    `SELECT account FROM member WHERE chat_group = $1 AND account = ANY ($2::integer[]) AND until IS NULL
     UNION SELECT account FROM past_member WHERE chat_group = $1 AND account = ANY ($2::integer[]) AND until_ms >= $3`,
    [group, accounts, sinceMs],
  )
  const found = new Set(rows.map(({ account }) => account))
  return account => found.has(account)
}

/** The new group becomes the continuation, unless an earlier one is already used. */
export async function beginContinuation(
  tx: Queries,
  group: number,
  { creator, continued }: { creator: number; continued: number },
): Promise<void> {
  const before = await tx.one<{ isUsed: boolean }>(
    'SELECT is_used AS "isUsed" FROM continuation WHERE creator = $1 AND continued = $2 FOR UPDATE',
    [creator, continued],
  )
  if (!takesPlace(before)) return
  await tx.run(
    `INSERT INTO continuation (creator, continued, chat_group) VALUES ($1, $2, $3)
     ON CONFLICT (creator, continued) DO UPDATE SET chat_group = excluded.chat_group`,
    [creator, continued, group],
  )
}

/** The group that `group` continues for its creator. */
export async function continuedBy(
  tx: Queries,
  { num, creator }: { num: number; creator: number },
): Promise<number | undefined> {
  const row = await tx.one<{ continued: number }>(
    'SELECT continued FROM continuation WHERE chat_group = $1 AND creator = $2',
    [num, creator],
  )
  return row?.continued
}

/** Someone is added to the group. */
export async function useContinuation(tx: Queries, group: number): Promise<void> {
  await tx.run('UPDATE continuation SET is_used = true WHERE chat_group = $1 AND NOT is_used', [group])
}

/** From here on `group` is a group like any other. */
export async function endContinuation(tx: Queries, group: number): Promise<void> {
  await tx.run('UPDATE continuation SET chat_group = NULL WHERE chat_group = $1', [group])
}

export async function noteGone(
  tx: Queries,
  group: number,
  { accounts, nowMs }: { accounts: readonly number[]; nowMs: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO past_member (chat_group, account, until_ms) SELECT $1, a, $3 FROM unnest($2::integer[]) a ORDER BY a
     ON CONFLICT (chat_group, account) DO UPDATE SET until_ms = greatest(past_member.until_ms, excluded.until_ms)`,
    [group, accounts, nowMs],
  )
}
