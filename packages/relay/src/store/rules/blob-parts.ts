// Decides who may add to a blob that is kept in parts: only a writer that has seen the last part.
// If two relays write, one of them is first.
import type { BlobPart, PartSeen } from '../relay-store.ts'

/** The part that a writer must have seen to be next. */
export const lastSeen = (parts: readonly BlobPart[]): PartSeen | undefined => {
  const last = parts.at(-1)
  return last && { number: last.number, tag: last.tag }
}

/** The same bytes have the same tag, so the number is compared too. */
export const isNext = (parts: readonly BlobPart[], after: PartSeen | undefined): boolean => {
  const last = parts.at(-1)
  return last?.number === after?.number && last?.tag === after?.tag
}

export const lengthOf = (parts: readonly BlobPart[]): number => parts.reduce((sum, { size }) => sum + size, 0)
