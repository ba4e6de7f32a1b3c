// Decides who may append a message to a group's log at which epoch, and who receives it.
import { type AccountId, CodedError } from '@postern/protocol'
import type { GroupState } from './group-state.ts'

export type AskedAppend = {
  sender: number
  epoch: number
  /** The recipient of a direct message. `num` is undefined if there is no such account. */
  to: { num: number | undefined; id: AccountId } | undefined
  /** Whether this account was deleted: called only if nobody else would receive the message. */
  isGone: (num: number) => boolean
}

/**
 * `stale`: answered with the group's epoch. If the store finds the message in its log, it answers that instead of
 * `stale` or `refused`: a resend is never refused.
 */
export type AppendVerdict =
  | { kind: 'to-members' }
  | { kind: 'to-one'; num: number; id: AccountId }
  | { kind: 'stale' }
  | { kind: 'refused'; error: CodedError }

const toMembers: AppendVerdict = { kind: 'to-members' }
const stale: AppendVerdict = { kind: 'stale' }
const deleted: AppendVerdict = { kind: 'refused', error: new CodedError('account-deleted') }

/** Others were in the group, and the sender is the last. */
export const isAlone = ({ members, left }: GroupState): boolean => members.size === 1 && left.size > 0

export function judgeAppend(group: GroupState, { sender, epoch, to, isGone }: AskedAppend): AppendVerdict {
  if (!group.members.has(sender)) return { kind: 'refused', error: new CodedError('group-unknown') }
  if (epoch !== group.epoch) return stale
  if (!to) return isAlone(group) && [...group.left].some(isGone) ? deleted : toMembers
  const { num, id } = to
  if (num === undefined || !group.members.has(num))
    return { kind: 'refused', error: new CodedError('not-a-member', { account: id }) }
  return { kind: 'to-one', num, id }
}
