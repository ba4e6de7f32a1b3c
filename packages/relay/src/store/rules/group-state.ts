// A group as the rules see it, whatever a store keeps it in: a store hands in what it holds, and nothing is copied.
import type { MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'

/** Accounts are the store's numbers of them. */
export type Accounts = { has(account: number): boolean }

export type GroupState = {
  readonly creator: number
  readonly epoch: number
  /** Of the last entry. */
  readonly lastTs: number
  readonly members: Accounts & { readonly size: number }
  /** They ended their delivery; a commit has still to remove them. */
  readonly left: Accounts & { readonly size: number } & Iterable<number>
}

/** A message that is in the log. */
export type KnownMessage = { message: MessageId; sender: number; seq: number; ts: number }

/** Times of a group rise, also when the clock stands or goes back. */
export const nextTs = ({ lastTs }: Pick<GroupState, 'lastTs'>, nowMs: number): number => Math.max(nowMs, lastTs + 1)

/**
 * What is said of a message that is in the log: as accepted, whatever the epoch is by now. To its sender, who may have
 * left since, and to members; to anybody else it is as if it were not there.
 */
export function answerKnown(group: GroupState, known: KnownMessage, by: number): RelayVerdict | undefined {
  const { message, sender, seq, ts } = known
  if (sender !== by && !group.members.has(by)) return undefined
  return { accepted: { message, seq, ts, duplicate: true }, epoch: group.epoch }
}

/** A message that is not in the log, and why: the group has gone on. */
export const answerStale = ({ epoch }: Pick<GroupState, 'epoch'>): RelayVerdict => ({ accepted: undefined, epoch })
