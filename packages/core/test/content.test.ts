// Content from the future: kept, and no harm to the chat.
import { type SendId, utf8 } from '@postern/protocol'
import { decodeContent, encodeContent, type KnownBody } from '@postern/protocol/content'
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

test.each<[string, KnownBody]>([
  ['an empty text', { kind: 'text', text: '' }],
  ['a button with neither data nor address', { kind: 'text', text: 'x', buttons: [[{ text: 'x' } as never]] }],
  ['a poll with one option', { kind: 'poll', question: 'x', options: ['x'], multiple: false }],
  ['a vote for an option twice', { kind: 'vote', target: 'a'.repeat(32) as never, options: [0, 0] }],
])('[CORE-4.8] %s is refused before it is sent', (_, body) => {
  expect(() => encodeContent({ send: 'a'.repeat(26) as SendId, profileVersion: 1, body })).toThrow(/is not allowed/)
})
