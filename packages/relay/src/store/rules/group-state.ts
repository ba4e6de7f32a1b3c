// A group as the rules see it, independent of the store: the store passes in its own objects without copying.
import type { MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'

/** Accounts are the store's internal numbers. */
export type Accounts = { has(account: number): boolean }

export type GroupState = {
  readonly creator: number
  readonly epoch: number
  /** The time of the last entry. */
  readonly lastTs: number
  readonly members: Accounts & { readonly size: number }
  /** Members that ended their delivery and are not removed by a commit yet. */
  readonly left: Accounts & { readonly size: number } & Iterable<number>
}

export type KnownMessage = { message: MessageId; sender: number; seq: number; ts: number }

/** Times of a group increase, even if the clock stops or goes back. */
export const nextTs = ({ lastTs }: Pick<GroupState, 'lastTs'>, nowMs: number): number => Math.max(nowMs, lastTs + 1)

/**
 * The answer for a message that is in the log: accepted, whatever the current epoch is. Only for its sender, who may
 * have left since, and for members; for anyone else the message does not exist.
 */
export function answerKnown(group: GroupState, known: KnownMessage, by: number): RelayVerdict | undefined {
  const { message, sender, seq, ts } = known
  if (sender !== by && !group.members.has(by)) return undefined
  return { accepted: { message, seq, ts, duplicate: true }, epoch: group.epoch }
}

/** The answer for a message that is not in the log because the group's epoch has advanced. */
export const answerStale = ({ epoch }: Pick<GroupState, 'epoch'>): RelayVerdict => ({ accepted: undefined, epoch })
