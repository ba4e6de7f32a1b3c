// Lengths of text as people count them.

/** Unicode code points: an emoji beyond the basic plane is one. */
export function charCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
