// Checks the sender of a write: known to the group, not replaced by a newer connection, and within its daily limit.
import { CodedError, postgresLimits } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { Append, CommitEnvelope } from '../../relay-store.ts'
import { bytesPerDay, bytesRefusal, dayOf, ofToday } from '../../rules/day-limits.ts'
import { answerKnown } from '../../rules/group-state.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import type { Batch, BatchParts } from './batch.ts'

export type AdmitResult =
  | { kind: 'known'; verdict: RelayVerdict }
  | { kind: 'new'; group: LockedGroup; sender: NumberedAccount }

/** Looks into the log first: a resend is never refused, even if another connection has replaced the sender's. */
export function admit(
  batch: Batch,
  { group: id, sender: account, message, fence }: Append | CommitEnvelope,
): AdmitResult {
  const group = batch.groups.get(id)
  const sender = batch.accounts.get(account)
  if (!group || !sender || sender.isDeleted) throw new CodedError('group-unknown')
  const known = batch.known.get(message)
  const verdict = known && answerKnown(group, known, sender.num)
  if (verdict) return { kind: 'known', verdict }
  if (fence && batch.devices.get(fence.device) !== fence.generation)
    throw new CodedError('unauthenticated', { why: 'a newer connection has taken its place, or it was revoked' })
  const { outboxRowsMax, outboxReferencesMax, placeAtOnceMax } = postgresLimits
  const isLarge = group.members.size > placeAtOnceMax
  if (batch.waiting > outboxRowsMax || (isLarge && batch.backlog > outboxReferencesMax))
    throw new CodedError('unavailable')
  return { kind: 'new', group, sender }
}

/** Throws `daily-bytes-limit` if it is too much for today; nothing is counted then. Uses reserved bytes first. */
export function chargeDay(
  batch: Batch,
  { limits, reserves }: Pick<BatchParts, 'limits' | 'reserves'>,
  { account, bytes, nowMs }: { account: NumberedAccount; bytes: number; nowMs: number },
): void {
  const { num, createdMs } = account
  const day = dayOf(nowMs)
  const spent = batch.spent.get(num) ?? 0
  const reserved = Math.min(bytes, Math.max(0, reserves.left(num, day) - spent))
  const more = bytes - reserved
  const before = ofToday(batch.stored.get(num), day)?.bytes ?? 0
  const limit = bytesPerDay(limits, nowMs - createdMs)
  if (more > 0 && before + more > limit) throw bytesRefusal(limit, day)
  if (reserved > 0) batch.spent.set(num, spent + reserved)
  if (more === 0) return
  batch.stored.set(num, { account: num, day, bytes: before + more })
  batch.rows.charge({ account: num, day, bytes: more, limit })
}
