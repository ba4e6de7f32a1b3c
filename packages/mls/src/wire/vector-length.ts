// The length in front of a vector (RFC 9420 §2.1.2): one, two or four bytes, the fewest that suffice.

export const lengthBytes = (length: number): 1 | 2 | 4 => (length < 64 ? 1 : length < 16_384 ? 2 : 4)

/** Returns the offset of the vector's bytes. */
export function writeLength(into: Uint8Array, at: number, length: number): number {
  const count = lengthBytes(length)
  for (let i = count - 1, rest = length; i >= 0; i--, rest >>>= 8) into[at + i] = rest
  if (count > 1) into[at] = (into[at] as number) | (count << 5)
  return at + count
}
