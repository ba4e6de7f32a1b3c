// Bytes in tests, also in those that run in a browser: written as hex or text, compared as hex.
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const hex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), char => char.charCodeAt(0))
export const utf8 = (text: string): Uint8Array => encoder.encode(text)
export const text = (bytes: Uint8Array): string => decoder.decode(bytes)

/** A copy with one bit of byte `at` flipped. */
export function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at] = (copy[at] as number) ^ 0x01
  return copy
}
