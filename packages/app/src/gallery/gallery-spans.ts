// The pages of a gallery as spans of time: a deleted message shortens its page, and no other one moves.

/** Messages before one time and not older than the other. Without `from` it is the last page, and not full yet. */
export type GallerySpan = { before?: number; from?: number }

export const GALLERY_PAGE = 60

export const firstSpans: readonly GallerySpan[] = [{}]

/** The times are of the messages in the last span, newest first. A full page ends there, and the next one begins. */
export function spansAfter(spans: readonly GallerySpan[], times: readonly number[]): readonly GallerySpan[] {
  const [last, end] = [spans.at(-1), times.at(-1)]
  if (!last || end === undefined || times.length < GALLERY_PAGE) return spans
  return [...spans.slice(0, -1), { ...last, from: end }, { before: end }]
}
