// Finds the segments of a JPEG, for tests that change its bytes.

/** Where the body of a segment begins and ends. */
export function segmentAt(photo: Uint8Array, marker: number): { body: number; end: number } {
  for (let at = 2; at + 4 <= photo.length; ) {
    const end = at + 2 + (((photo[at + 2] ?? 0) << 8) | (photo[at + 3] ?? 0))
    if (photo[at + 1] === marker) return { body: at + 4, end }
    at = end
  }
  throw new Error(`there is no ${marker.toString(16)}`)
}
