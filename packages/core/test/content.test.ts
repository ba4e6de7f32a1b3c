// Content from the future: kept, and harmless for the chat.
import { type SendId, utf8 } from '@postern/protocol'
import { decodeContent, encodeContent, type KnownBody } from '@postern/protocol/content'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const content = (body: object, more: object = {}) =>
  utf8(JSON.stringify({ v: 1, send: 'a'.repeat(26), profileVersion: 1, body, ...more }))

describe('[CORE-4.6] content of another version', () => {
  test('an unknown kind survives as it was written', () => {
    const body = { kind: 'hologram', angle: 3 }
    expect(decodeContent(content(body))?.body).toEqual({ kind: 'unknown', raw: body })
  })

  test('a known kind of a later version that this one cannot read survives too', () => {
    const body = { kind: 'text', spans: ['no text here'] }
    expect(decodeContent(content(body, { v: 2 }))?.body).toEqual({ kind: 'unknown', raw: body })
  })

  test.each([
    ['a known kind that breaks its rules', content({ kind: 'text', text: '' })],
    ['a text that is too long', content({ kind: 'text', text: 'x'.repeat(4097) })],
    ['no send id', utf8(JSON.stringify({ v: 1, profileVersion: 1, body: { kind: 'hello' } }))],
    ['what is no JSON', utf8('{"v":1')],
    ['what is no UTF-8', Uint8Array.of(0xff, 0xfe)],
    ['nothing', new Uint8Array(0)],
  ])('%s is no content', (_, bytes) => {
    expect(decodeContent(bytes)).toBeUndefined()
  })
})

/** For each field: a valid value, nearly valid ones, and none. */
const plain = {
  v: fc.constantFrom<unknown>(1, 2, 0, 1.5, '1', null, undefined),
  send: fc.constantFrom<unknown>('a'.repeat(26), 'a'.repeat(25), 'A'.repeat(26), 7, undefined),
  profileVersion: fc.constantFrom<unknown>(0, 1, -1, 0.5, 2 ** 53, '1', null, undefined),
  body: fc.oneof(
    fc.constantFrom<unknown>([], ['text', 'x'], null, 'text', undefined),
    fc.record({
      kind: fc.constantFrom<unknown>('text', 'hologram', 'hello', 'k'.repeat(65), 7, undefined),
      text: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom<unknown>(
          '',
          'x'.repeat(4096),
          'x'.repeat(4097),
          '😀'.repeat(4096),
          '😀'.repeat(4097),
          7,
          undefined,
        ),
      ),
    }),
  ),
}

test('[CORE-4.6] a plain text is taken, and refused, as one with a field that is not known here', () => {
  const read = (value: object) => decodeContent(utf8(JSON.stringify(value)))
  fc.assert(
    fc.property(fc.record(plain), each => {
      const unknownField = { fromTheFuture: 1 }
      expect(read(each)).toEqual(read({ ...each, ...unknownField }))
      const inBody = read({ ...each, body: Object.assign({ ...Object(each.body) }, unknownField) })
      if (inBody?.body.kind === 'text') expect(read(each)).toEqual(inBody)
    }),
    { numRuns: 2_000 },
  )
})

test('[CORE-18.8] half of a surrogate pair leaves in no field; who writes of one is not kept from it', () => {
  const encode = (body: KnownBody, more: object = {}) =>
    encodeContent({ send: 'a'.repeat(26) as SendId, profileVersion: 1, body, ...more })
  const hello = { name: 'half \ud83d', profileKey: new Uint8Array(32) }
  expect(() => encode({ kind: 'text', text: 'half \ud83d' })).toThrow(/surrogate/)
  expect(() => encode({ kind: 'poll', question: 'x', options: ['x', '\ude00'], multiple: false })).toThrow(/surrogate/)
  expect(() => encode({ kind: 'text', text: 'whole' }, { hello })).toThrow(/surrogate/)
  for (const text of ['whole 😀', 'an escape: \\ud83d'])
    expect(decodeContent(encode({ kind: 'text', text }))?.body).toEqual({ kind: 'text', text })
})

test.each<[string, KnownBody]>([
  ['an empty text', { kind: 'text', text: '' }],
  ['a button with neither data nor address', { kind: 'text', text: 'x', buttons: [[{ text: 'x' } as never]] }],
  ['a poll with one option', { kind: 'poll', question: 'x', options: ['x'], multiple: false }],
  ['a vote for an option twice', { kind: 'vote', target: 'a'.repeat(32) as never, options: [0, 0] }],
])('[CORE-4.8] %s is refused before it is sent', (_, body) => {
  expect(() => encodeContent({ send: 'a'.repeat(26) as SendId, profileVersion: 1, body })).toThrow(/is not allowed/)
})
