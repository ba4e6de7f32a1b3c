// The reactions to a message, grouped by emoji: the most frequent first, then in the order of arrival.
import type { Message, Person } from '../../contract/objects.ts'

export type Chip = { emoji: string; people: Person[]; isMine: boolean }

export function chipsOf(reactions: Message['reactions'], me: string): Chip[] {
  const chips = new Map<string, Chip>()
  for (const { emoji, from } of reactions ?? []) {
    const chip = chips.get(emoji) ?? { emoji, people: [], isMine: false }
    chip.people.push(from)
    chip.isMine ||= from.id === me
    chips.set(emoji, chip)
  }
  return [...chips.values()].toSorted((one, other) => other.people.length - one.people.length)
}

/** The reaction to send when an emoji is chosen: the same one again withdraws it. */
export const reactionAfter = (reactions: Message['reactions'], me: string, chosen: string): string =>
  reactions?.some(({ emoji, from }) => emoji === chosen && from.id === me) ? '' : chosen
