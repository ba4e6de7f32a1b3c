// A group that continues another: who may create it, and who moves along without counting as a new person.
import { CodedError } from '@postern/protocol'
import type { GroupState } from './group-state.ts'

/** Whether an account is in a group, or was in it lately. */
export type WasIn = (account: number) => boolean

/**
 * For an account that never was in it, a group that exists looks like one that does not.
 * `wasIn` is undefined if it does not exist.
 */
export const continuationRefusal = (creator: number, wasIn: WasIn | undefined): CodedError | undefined =>
  wasIn?.(creator) ? undefined : new CodedError('group-unknown')

/**
 * Each creator may continue a group once: one continuation per person would be a way to contact each of them alone. A
 * first try to which nobody was added does not use up the place.
 */
export const takesPlace = (before: { isUsed: boolean } | undefined): boolean => !before?.isUsed

type Asked = { sender: number; people: readonly number[] }

/**
 * The added people who may count as new: those who do not move along from the continued group. `continued` is called
 * only if needed, and returns undefined if the group continues none.
 */
export function notTakenAlong(
  group: Pick<GroupState, 'creator'>,
  { sender, people }: Asked,
  continued: () => WasIn | undefined,
): readonly number[] {
  const wasIn = sender === group.creator ? continued() : undefined
  // A sender who left the old group too long ago cannot bring its people along.
  if (!wasIn?.(sender)) return people
  return people.filter(person => !wasIn(person))
}
