// A group that carries on another: who may make it, and whom it takes along without counting them as new people.
import { CodedError } from '@postern/protocol'
import type { GroupState } from './group-state.ts'

/** Whether an account is in a group, or was in it lately. */
export type WasIn = (account: number) => boolean

/** To who never was in it, a group that exists looks like one that does not. `wasIn` is undefined when it does not. */
export const continuationRefusal = (creator: number, wasIn: WasIn | undefined): CodedError | undefined =>
  wasIn?.(creator) ? undefined : new CodedError('group-unknown')

/**
 * Of each creator, one group may carry on another: a group more for every person would be a way to each of them alone. A
 * first try to which nobody was added, so that its place is not used, gives it to the next.
 */
export const takesPlace = (before: { isUsed: boolean } | undefined): boolean => !before?.isUsed

type Asked = { sender: number; people: readonly number[] }

/**
 * Those of whom a sender adds that may be new people: not who comes along from the group that this one carries on.
 * `continued` is asked only when it matters, and gives undefined when the group carries on none.
 */
export function notTakenAlong(
  group: Pick<GroupState, 'creator'>,
  { sender, people }: Asked,
  continued: () => WasIn | undefined,
): readonly number[] {
  const wasIn = sender === group.creator ? continued() : undefined
  // Who was put out of the old group too long ago has no say about its people.
  if (!wasIn?.(sender)) return people
  return people.filter(person => !wasIn(person))
}
