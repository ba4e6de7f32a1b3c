// Lengths of text as people count them.

/** Unicode code points: an emoji beyond the basic plane is one. */
export function charCount(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

let graphemes: Intl.Segmenter | undefined

/** What a person sees as one sign, however many code points it takes. */
export function isOneSign(text: string): boolean {
  // When it is first needed: its tables would cost every start 15 ms and 3 MiB.
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...graphemes.segment(text)].length === 1
}
