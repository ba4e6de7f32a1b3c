// Who may add to a blob that is kept in parts: only who has seen the last one. Of two relays that write to it one is first.
import type { BlobPart, PartSeen } from '../relay-store.ts'

/** What a writer has to have seen to be the next. */
export const lastSeen = (parts: readonly BlobPart[]): PartSeen | undefined => {
  const last = parts.at(-1)
  return last && { number: last.number, tag: last.tag }
}

/** The same bytes twice have the same tag: it counts with its number only. */
export const isNext = (parts: readonly BlobPart[], after: PartSeen | undefined): boolean => {
  const last = parts.at(-1)
  return last?.number === after?.number && last?.tag === after?.tag
}

export const lengthOf = (parts: readonly BlobPart[]): number => parts.reduce((sum, { size }) => sum + size, 0)
