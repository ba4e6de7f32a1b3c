// Creates a group: once per id, for its creator, optionally as the continuation of another group.
// Ordered among the writes to the log.
import { CodedError, type GroupId } from '@postern/protocol'
import { continuationRefusal } from '../../rules/continuations.ts'
import { rowBytes } from '../../rules/costs.ts'
import { groupsRefusal } from '../../rules/counts.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import { beginContinuation, wasInGroup } from '../groups/continuation-rows.ts'
import type { Batch, BatchParts, GroupToMake } from './batch.ts'
import { chargeDay } from './judge-sender.ts'

type Old = { id: GroupId; creator: number; sinceMs: number }

export async function createGroupIn(
  batch: Batch,
  parts: BatchParts,
  { group: id, creator: account, continues, nowMs }: GroupToMake,
): Promise<'created' | 'exists'> {
  const creator = batch.accounts.get(account)
  if (!creator || creator.isDeleted) throw new CodedError('account-not-found', { account })
  const there = batch.groups.get(id)
  if (there && there.creator !== creator.num) throw new CodedError('group-exists')
  if (there) return 'exists'
  const { limits } = parts
  const sinceMs = nowMs - limits.keepPastMembersMs
  const continued = continues && (await continuedGroup(batch, { id: continues, creator: creator.num, sinceMs }))
  // Locked: another relay may create one for the same account.
  const counted = await batch.tx.one<{ groups: number }>(
    'SELECT group_count AS groups FROM account WHERE num = $1 FOR NO KEY UPDATE',
    [creator.num],
  )
  const refusal = groupsRefusal(limits, counted?.groups ?? 0)
  if (refusal) throw refusal
  chargeDay(batch, parts, { account: creator, bytes: rowBytes.group, nowMs })
  const num = await insertGroup(batch, parts, { id, creator })
  if (continued) await beginContinuation(batch.tx, num, { creator: creator.num, continued })
  return 'created'
}

/** Throws `group-unknown` for an account that never was in it. */
async function continuedGroup({ tx }: Batch, { id, creator, sinceMs }: Old): Promise<number | undefined> {
  const group = await tx.one<{ num: number }>('SELECT num FROM chat_group WHERE id = $1', [id])
  const wasIn = group && (await wasInGroup(tx, { group: group.num, accounts: [creator], sinceMs }))
  const refusal = continuationRefusal(creator, wasIn)
  if (refusal) throw refusal
  return group?.num
}

/** The id is locked, so no other relay creates the group. */
async function insertGroup(
  { tx, groups }: Batch,
  { rosters }: BatchParts,
  { id, creator }: { id: GroupId; creator: NumberedAccount },
): Promise<number> {
  const made = await tx.one<{ num: number; roster: number }>(
    'INSERT INTO chat_group (id, creator, epoch, seq, last_ts) VALUES ($1, $2, 0, 0, 0) RETURNING num, roster',
    [id, creator.num],
  )
  if (!made) throw new TypeError('a group that was made has no row')
  await tx.run('INSERT INTO member (chat_group, account, since) VALUES ($1, $2, 0)', [made.num, creator.num])
  await tx.run('UPDATE account SET group_count = group_count + 1 WHERE num = $1', [creator.num])
  const members = [{ num: creator.num, id: creator.id, isIn: true }]
  const fresh = { epoch: 0, seq: 0, lastTs: 0, roster: made.roster, members }
  groups.set(id, rosters.lock({ num: made.num, id, creator: creator.num, ...fresh }))
  return made.num
}
