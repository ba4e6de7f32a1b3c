// Text forms of bytes: one text for each value, and nothing else is accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  accountIdFromHash,
  bytesOf,
  charCount,
  equalBytes,
  fromBase32,
  fromBase64Url,
  isAccountId,
  isGroupId,
  toBase32,
  toBase64Url,
} from '../src/index.ts'

const bytes = fc.uint8Array({ maxLength: 64 })

describe('base32', () => {
  test('[PROTOCOL-2.1] known answers of RFC 4648, in lower case and without padding', () => {
    const encode = (text: string) => toBase32(new TextEncoder().encode(text))
    expect(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map(encode)).toEqual([
      '',
      'my',
      'mzxq',
      'mzxw6',
      'mzxw6yq',
      'mzxw6ytb',
      'mzxw6ytboi',
    ])
  })

  test('[PROTOCOL-2.1] every value comes back', () => {
    fc.assert(fc.property(bytes, value => equalBytes(fromBase32(toBase32(value)) ?? new Uint8Array(1), value)))
  })

  test('[PROTOCOL-2.1] only the canonical text is taken', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), text => {
        const value = fromBase32(text)
        if (value) expect(toBase32(value)).toBe(text)
      }),
    )
    for (const text of ['MY', 'mz', 'm', 'my=', 'm1', 'mzxw6yr']) expect(fromBase32(text)).toBeUndefined()
  })
})

test('[PROTOCOL-2.1] base64url: every value comes back, and other letters are refused', () => {
  fc.assert(fc.property(bytes, value => equalBytes(fromBase64Url(toBase64Url(value)) ?? new Uint8Array(1), value)))
  for (const text of ['a', 'ab+/', 'ab==', 'ab cd']) expect(fromBase64Url(text)).toBeUndefined()
})

test('[PROTOCOL-2.2] an account id is 32 letters of the hash, a group id 26', () => {
  const hash = new Uint8Array(32).fill(7)
  const id = accountIdFromHash(hash)
  expect(id).toHaveLength(32)
  expect(isAccountId(id)).toBe(true)
  expect(isGroupId(id)).toBe(false)
  expect(bytesOf(id)).toEqual(hash.subarray(0, 20))
  expect(isAccountId(id.toUpperCase())).toBe(false)
  expect(isAccountId(`${id}a`)).toBe(false)
})

test('[PROTOCOL-2.3] characters are code points', () => {
  expect(charCount('🔥a')).toBe(2)
  expect(charCount('')).toBe(0)
})
