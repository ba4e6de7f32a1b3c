// Bytes and their text forms: what ids, keys and links are made of.

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
/** By character code; 255 for a character outside the alphabet. */
const VALUES = new Uint8Array(128).fill(255)
for (const [value, letter] of [...ALPHABET].entries()) VALUES[letter.charCodeAt(0)] = value
const encoder = new TextEncoder()
const strictDecoder = new TextDecoder('utf-8', { fatal: true })

export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Throws on bytes that are not UTF-8: replacement characters would hide a damaged message. */
export const fromUtf8 = (bytes: Uint8Array): string => strictDecoder.decode(bytes)

/** Lower-case base32 (RFC 4648) without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >>> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  if (bits > 0) text += ALPHABET[(held << (5 - bits)) & 31]
  return text
}

/** The bytes of a base32 text, or undefined when the text is not canonical. */
export function fromBase32(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8))
  let bits = 0
  let held = 0
  let at = 0
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? 255
    if (value === 255) return undefined
    held = (held << 5) | value
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >>> bits) & 255
      held &= (1 << bits) - 1
    }
  }
  return bits < 5 && held === 0 ? bytes : undefined
}

export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, letter => letter.charCodeAt(0))
}

export function concatBytes(...parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** A copy in separate memory: `slice` of Node's Buffer is a view. */
export const copyBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** Not in constant time: for public values only. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

/**
 * Frees memory immediately instead of at the next collection: the collector does not see megabytes pile up outside its
 * heap. Bytes that share their buffer with others are left to the collector.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (bytes.byteLength === bytes.buffer.byteLength) (bytes.buffer as ArrayBuffer).transfer(0)
}
