// Whoever writes to the log: known to the group, not replaced by a newer connection, and within what it may store today.
import { CodedError, postgresLimits } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Append, CommitEnvelope } from '../../relay-store.ts'
import { bytesPerDay, bytesRefusal, dayOf, ofToday } from '../../rules/day-limits.ts'
import { answerKnown } from '../../rules/group-state.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import type { Batch } from './batch.ts'

export type AdmitResult =
  | { kind: 'known'; verdict: RelayVerdict }
  | { kind: 'new'; group: LockedGroup; sender: NumberedAccount }

/** What is in the log is told first: a resend is never refused, whoever has taken the connection's place since. */
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

/** Throws `daily-bytes-limit` when it is too much for today; then nothing is counted. */
export function chargeDay(
  batch: Batch,
  limits: RelayLimits,
  { account, bytes, nowMs }: { account: NumberedAccount; bytes: number; nowMs: number },
): void {
  const { num, createdMs } = account
  const day = dayOf(nowMs)
  const before = ofToday(batch.stored.get(num), day)?.bytes ?? 0
  const limit = bytesPerDay(limits, nowMs - createdMs)
  if (before + bytes > limit) throw bytesRefusal(limit, day)
  batch.stored.set(num, { account: num, day, bytes: before + bytes })
  batch.rows.charge({ account: num, day, bytes, limit })
}
