// Albums: files that one request sends, each as a message, all with one id.
import type { Message } from '@postern/bot-api'
import { contentLimits, type MessageId } from '@postern/protocol'
import { passTime, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { SOON } from './api.ts'
import { nothingIsLeft } from './files-left.ts'
import { test as base } from './fixtures.ts'
import { type AlbumOptions, albumForm, keyHeader, shown } from './send-album.ts'
import { badRequest, talking } from './talking.ts'

const test = base
  .extend('served', ({ world, alice, clock }) => talking(world, alice, { clock }))
  .extend('sendAlbum', ({ served: { api, path } }) => {
    return async (texts: readonly string[], { fields, key }: AlbumOptions = {}) =>
      await api.call<Message[]>('POST', `${path}/albums`, {
        body: albumForm(texts, fields),
        headers: keyHeader(key),
      })
  })
  /** The files that Alice has, oldest first, once the bot's last words are there. */
  .extend('seen', ({ served: { api, toBot }, alice, clock }) => async (): Promise<Message[]> => {
    const end = `end ${crypto.randomUUID()}`
    await passTime(clock, api.send(alice.id, { text: end }))
    await alice.hears(end)
    return alice.client.messages.list(toBot, { limit: 100 }).filter(message => message.file)
  })

test('[GATEWAY-4.35] an album is one message for each file, in order, all with one id', async ({
  alice,
  served: { api, path, toBot },
  sendAlbum,
  seen,
}) => {
  const { id: question } = await api.ok<Message>('POST', `${path}/messages`, { text: 'which?' })
  const fields = { caption: 'All **three**', format: 'markdown', reply_to: question, silent: 'true' }
  const { status, body: sent } = await sendAlbum(['one', 'two', 'three'], { fields })
  expect([status, sent.length]).toEqual([200, 3])
  const [first] = sent
  expect(sent.map(shown)).toEqual([
    { name: '0.txt', text: 'All three', album: first?.album },
    { name: '1.txt', text: undefined, album: first?.album },
    { name: '2.txt', text: undefined, album: first?.album },
  ])
  expect(first).toMatchObject({ album: expect.any(String), reply_to: question, entities: [{ type: 'bold' }] })
  expect(sent.map(({ silent, reply_to }) => [silent, reply_to])).toEqual([
    [true, question],
    [true, undefined],
    [true, undefined],
  ])
  const arrived = await seen()
  expect(arrived.map(shown)).toEqual(sent.map(shown))
  const last = await alice.client.files.open(toBot, arrived[2]?.id as MessageId, WITHIN)
  expect(Buffer.concat(await Array.fromAsync(last.read(), chunk => Uint8Array.from(chunk))).toString()).toBe('three')
  // Another one has another id, and one file alone is an album, too.
  const { body: other } = await sendAlbum(['four'])
  expect(other).toHaveLength(1)
  expect(other[0]?.album).not.toBe(first?.album)
  expect(await api.ok('GET', `${path}/messages/${other[0]?.id}`)).toMatchObject({ album: other[0]?.album })
})

test('[GATEWAY-4.35] a bot learns which files a person has sent together', async ({
  alice,
  served: { api, toBot },
}) => {
  const files = await Promise.all(
    ['a.bin', 'b.bin'].map(async name => {
      const draft = await alice.client.files.draft(new Blob([name]).stream())
      return { draft, name, type: 'application/octet-stream', kind: 'file' as const }
    }),
  )
  const [sent] = await alice.client.files.sendAlbum(toBot, files, WITHIN)
  for (const { draft } of files) await draft.discard()
  const first = await api.next('message', ({ message }) => message.file?.name === 'a.bin')
  const second = await api.next('message', ({ message }) => message.file?.name === 'b.bin')
  expect(first.message.album).toBe(sent?.album)
  expect(second.message.album).toBe(sent?.album)
})

describe('a wrong album', () => {
  const many = Array.from({ length: contentLimits.albumFilesMax + 1 }, (_, at) => `${at}`)
  const cases: [string, readonly string[], Record<string, string>, RegExp][] = [
    ['without a file', [], { caption: 'none' }, /^file: is required\.$/],
    ['of too many files', many, {}, /^file: must be sent at most 10 times\.$/],
    ['with a wrong kind', ['a', 'b'], { kind: 'voice' }, /^kind: must be photo, video or file\.$/],
    ['of photos that are none', ['a', 'b'], { kind: 'photo' }, /^kind: must be/],
    ['with a caption that is too long', ['a', 'b'], { caption: 'x'.repeat(4097) }, /^caption: /],
    ['with mentions outside of its caption', ['a'], { caption: '', mentions: '[{"user":"x"}]' }, /^mentions/],
    ['in reply to nothing', ['a', 'b'], { reply_to: 'x' }, /^reply_to: /],
  ]
  test.for(cases)(
    '[GATEWAY-4.36] %s is 400, and nothing of it is sent',
    async ([, texts, fields, sentence], { served: { api, path }, world, sendAlbum }) => {
      expect(await sendAlbum(texts, { fields })).toEqual(badRequest(sentence))
      expect(await api.ok('GET', `${path}/messages`)).toEqual([])
      await nothingIsLeft(world)
    },
  )
})

test('[GATEWAY-4.36] a file that was not chosen in a browser is 400, and nothing of the album is sent', async ({
  served: { api, path },
  world,
}) => {
  const body = albumForm(['one'])
  body.append('file', new Blob([]), '')
  expect(await api.call('POST', `${path}/albums`, { body })).toEqual(badRequest(/^file: is required\.$/))
  expect(await api.ok('GET', `${path}/messages`)).toEqual([])
  await nothingIsLeft(world)
})

describe('under a key', () => {
  test('[GATEWAY-4.37] a repetition answers the same messages and sends nothing', async ({ sendAlbum, seen }) => {
    const first = await sendAlbum(['one', 'two'], { key: 'k' })
    const again = await sendAlbum(['one', 'two'], { key: 'k' })
    expect(again.status).toBe(200)
    expect(again.body.map(({ id }) => id)).toEqual(first.body.map(({ id }) => id))
    expect(await seen()).toHaveLength(2)
  })

  test('[GATEWAY-4.37] another album, or another request, is 400', async ({
    served: { api, path },
    sendAlbum,
    seen,
  }) => {
    await sendAlbum(['one', 'two'], { key: 'k' })
    const conflict = badRequest(/Idempotency-Key/)
    expect(await sendAlbum(['one', 'other'], { key: 'k' })).toMatchObject(conflict)
    expect(await sendAlbum(['one'], { key: 'k' })).toMatchObject(conflict)
    expect(await sendAlbum(['one', 'two'], { key: 'k', fields: { caption: 'x' } })).toMatchObject(conflict)
    const headers = keyHeader('k')
    const renamed = albumForm(['one'])
    renamed.append('file', new Blob(['two']), 'renamed.txt')
    expect(await api.call('POST', `${path}/albums`, { body: renamed, headers })).toMatchObject(conflict)
    expect(await api.call('POST', `${path}/messages`, { json: { text: 'x' }, headers })).toMatchObject(conflict)
    expect(await seen()).toHaveLength(2)
  })

  test.for(['request', 'answer'] as const)(
    '[GATEWAY-4.37] one whose relay is lost with the %s for any file continues, and sends no file twice',
    { timeout: SOON.timeout },
    async (lost, { served: { gateway }, alice, sendAlbum, seen, clock }) => {
      const { wire, client } = gateway
      const filesSent = () => client.messages.list(alice.id as never, { limit: 100 }).filter(({ file }) => file).length
      const texts = ['one', 'two', 'three']
      for (const [at] of texts.entries()) {
        const key = `lost after ${at}`
        const isReached = () => filesSent() >= texts.length * at + at
        if (lost === 'request') wire.outgoing = frame => (isReached() ? (wire.cut(), []) : [frame])
        else wire.incoming = frame => (isReached() ? [] : [frame])
        expect((await passTime(clock, sendAlbum(texts, { key }))).status).toBe(503)
        expect(filesSent()).toBe(texts.length * at + at)
        wire.outgoing = frame => [frame]
        wire.incoming = frame => [frame]
        wire.mend()
        wire.drop()
        await passTime(clock, client.whenOnline(WITHIN))
        const again = await passTime(clock, sendAlbum(texts, { key }))
        expect([again.status, again.body.length]).toEqual([200, texts.length])
        expect(again.body.map(({ file }) => file?.name)).toEqual(['0.txt', '1.txt', '2.txt'])
        expect(new Set(again.body.map(({ album }) => album)).size).toBe(1)
      }
      const arrived = await seen()
      expect(arrived.map(({ file }) => file?.name)).toEqual(texts.flatMap(() => ['0.txt', '1.txt', '2.txt']))
      expect(new Set(arrived.map(({ album }) => album)).size).toBe(texts.length)
    },
  )
})
