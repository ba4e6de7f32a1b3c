// The words of a notification, sealed and opened with WebCrypto alone.
import { type AccountId, type GroupId, type MessageId, toBase32, toBase64Url, wireLimits } from '@postern/protocol'
import {
  encodePreview,
  type FindPreviewKey,
  type IncomingPush,
  isPreviewOf,
  notifiedWords,
  openPreview,
  previewContext,
  previewPlaintext,
  readPush,
} from '@postern/protocol/preview'
import { expect, test } from 'vitest'

const id = <Id extends string>(bytes: number, fill: number) => toBase32(new Uint8Array(bytes).fill(fill)) as Id
const group = id<GroupId>(16, 1)
const sender = id<AccountId>(20, 2)
const message = id<MessageId>(20, 3)
const secret = new Uint8Array(32).fill(4)
const EPOCH = 7

const importKey = (usage: 'encrypt' | 'decrypt', raw = secret) =>
  crypto.subtle.importKey('raw', new Uint8Array(raw), 'AES-GCM', false, [usage])

const keyOfEpoch: FindPreviewKey = async (asked, epoch) =>
  asked === group && epoch === EPOCH ? await importKey('decrypt') : undefined

const textOf = (plaintext: Uint8Array | undefined) => new TextDecoder().decode(plaintext)
const wordsIn = (plaintext: Uint8Array | undefined): string => JSON.parse(textOf(plaintext)).text

async function seal(plaintext = previewPlaintext({ text: 'disk full' }), epoch = EPOCH): Promise<Uint8Array> {
  const nonce = new Uint8Array(12).fill(5)
  const aad = new Uint8Array(previewContext({ group, sender, message }))
  const sealing = { name: 'AES-GCM', iv: nonce, additionalData: aad }
  const sealed = await crypto.subtle.encrypt(sealing, await importKey('encrypt'), new Uint8Array(plaintext ?? []))
  return encodePreview({ epoch, nonce, sealed: new Uint8Array(sealed) })
}

const pushWith = (preview: Uint8Array | undefined): IncomingPush => ({
  ...{ group, sender, message, count: 1, attention: 'message', ts: 1 },
  ...(preview && { preview }),
})

test('[PROTOCOL-2.8] a notification shows a text or caption, the question of a poll, or the name of a file', () => {
  expect(notifiedWords({ text: 'a caption', file: { name: 'disk.png' } })).toBe('a caption')
  expect(notifiedWords({ poll: { question: 'When?' } })).toBe('When?')
  expect(notifiedWords({ file: { name: 'disk.png' } })).toBe('disk.png')
  expect(notifiedWords({})).toBe('')
  expect(previewPlaintext({})).toBeUndefined()
})

test('[PROTOCOL-2.8] a preview has the first 160 visible characters, and no part of one', () => {
  const family = '👨‍👩‍👧‍👦'
  expect(wordsIn(previewPlaintext({ text: 'x'.repeat(4096) }))).toBe('x'.repeat(160))
  expect(wordsIn(previewPlaintext({ text: '🦊'.repeat(200) }))).toBe('🦊'.repeat(160))
  expect(wordsIn(previewPlaintext({ text: family.repeat(200) }))).toMatch(new RegExp(`^(${family})+$`, 'u'))
  // One visible character of a thousand marks has no place, and its half would be another character.
  expect(previewPlaintext({ text: `e${'\u0301'.repeat(1000)}` })).toBeUndefined()
})

test('[PROTOCOL-2.8] a preview fits the wire with every text and name, and tells its length in steps of 64', async () => {
  const texts = ['a', 'a'.repeat(40), '\u0000'.repeat(300), '"\\'.repeat(200), '語'.repeat(300), '👩🏽‍🚀'.repeat(99)]
  for (const text of texts)
    for (const from of [undefined, 'Alice', '語'.repeat(64), '👩🏽‍🚀'.repeat(16)]) {
      const plaintext = previewPlaintext({ text }, from)
      expect((plaintext?.length ?? 0) % 64).toBe(0)
      expect((await seal(plaintext)).length).toBeLessThanOrEqual(wireLimits.previewBytesMax)
      expect(text.startsWith(wordsIn(plaintext))).toBe(true)
    }
})

test('[PROTOCOL-2.9] a preview opens under the key of its group and epoch', async () => {
  const opened = await openPreview(keyOfEpoch, pushWith(await seal(previewPlaintext({ text: 'disk full' }, 'Alice'))))
  expect(opened).toEqual({ text: 'disk full', from: 'Alice' })
})

test('[PROTOCOL-2.9] a preview does not open for another message, sender, group, epoch or key', async () => {
  const preview = await seal()
  const other = { group: id<GroupId>(16, 9), sender: id<AccountId>(20, 9), message: id<MessageId>(20, 9) }
  const anyEpoch: FindPreviewKey = async () => await importKey('decrypt')
  for (const [field, value] of Object.entries(other))
    expect(await openPreview(anyEpoch, { ...pushWith(preview), [field]: value })).toBeUndefined()
  expect(await openPreview(keyOfEpoch, pushWith(await seal(undefined, EPOCH - 1)))).toBeUndefined()
  const otherKey: FindPreviewKey = async () => await importKey('decrypt', new Uint8Array(32).fill(8))
  expect(await openPreview(otherKey, pushWith(preview))).toBeUndefined()
  expect(await openPreview(anyEpoch, pushWith(preview))).toEqual({ text: 'disk full' })
})

test('[PROTOCOL-2.9] a changed, truncated or foreign preview does not open', async () => {
  const preview = await seal()
  const anyEpoch: FindPreviewKey = async () => await importKey('decrypt')
  for (let at = 0; at < preview.length; at++) {
    // The epoch only selects the key: the test's keys are the same for all.
    if (at > 0 && at < 9) continue
    const changed = preview.with(at, (preview[at] ?? 0) ^ 1)
    expect(await openPreview(anyEpoch, pushWith(changed))).toBeUndefined()
  }
  for (let length = 0; length < preview.length; length += 5)
    expect(await openPreview(anyEpoch, pushWith(preview.slice(0, length)))).toBeUndefined()
  expect(await openPreview(anyEpoch, pushWith(new Uint8Array(5000).fill(1)))).toBeUndefined()
  expect(await openPreview(anyEpoch, pushWith(undefined))).toBeUndefined()
})

test('[PROTOCOL-2.9] words that a modified client sealed are cleaned, or not shown', async () => {
  const opened = async (plaintext: string) =>
    await openPreview(keyOfEpoch, pushWith(await seal(new TextEncoder().encode(plaintext))))
  expect(await opened('{"text":"half \\ud83d","from":"Al\\u202eice\\n"}')).toEqual({
    text: 'half \ufffd',
    from: 'Alice',
  })
  for (const wrong of ['', 'null', '[]', '{"text":5}', '{"text":""}', '{"from":"Alice"}', '{'])
    expect(await opened(wrong)).toBeUndefined()
})

test('[PROTOCOL-2.10] a preview that says something else than its message is recognized', () => {
  const long = { text: 'x'.repeat(4096) }
  const honest = [{ text: 'disk full' }, { poll: { question: 'When?' } }, { file: { name: 'a.png' } }, long]
  for (const said of honest)
    for (const from of [undefined, 'Alice']) {
      const preview = JSON.parse(textOf(previewPlaintext(said, from)))
      expect(isPreviewOf(preview, said)).toBe(true)
    }
  expect(isPreviewOf({ text: 'all is well' }, { text: 'disk full' })).toBe(false)
  expect(isPreviewOf({ text: 'disk' }, { text: 'disk full' })).toBe(false)
  expect(isPreviewOf({ text: 'disk full', from: 'x'.repeat(2000) }, { text: 'disk full' })).toBe(false)
})

test('[PROTOCOL-2.11] a push that the relay did not write by the rules is not read', () => {
  const push = { v: 1, group, count: 3, attention: 'mention', sender, message, ts: 5, preview: toBase64Url(secret) }
  expect(readPush(JSON.stringify(push))).toEqual({
    ...{ group, count: 3, attention: 'mention', sender, message, ts: 5 },
    preview: secret,
  })
  const { preview: _, ...plain } = push
  expect(readPush(JSON.stringify({ ...plain, later: 'field' }))).not.toHaveProperty('preview')
  expect(readPush(JSON.stringify({ ...push, preview: '*' }))).not.toHaveProperty('preview')
  const wrong = { v: 2, group: 'x', count: 0, attention: 'none', sender: group, message: 7, ts: '5' }
  for (const [field, value] of Object.entries(wrong))
    expect(readPush(JSON.stringify({ ...push, [field]: value }))).toBeUndefined()
  for (const text of ['', 'null', '5', '[]', '{}', '{']) expect(readPush(text)).toBeUndefined()
})
