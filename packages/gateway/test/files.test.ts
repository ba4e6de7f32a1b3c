// Files that the bot sends: people receive them with the right type, and captions change.
import { randomBytes } from 'node:crypto'
import { message } from '@postern/bot-api'
import type { MessageId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import sharp from 'sharp'
import { describe, expect } from 'vitest'
import type { Api } from './api.ts'
import { test } from './fixtures.ts'
import { sendForm, sentFile } from './send-form.ts'
import { badRequest, sees } from './talking.ts'

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#336699' } })

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const opus = latin1(`OggS${'\0'.repeat(24)}OpusHead\x01`)
const mp4 = latin1('\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\x08mdat')

/** The bytes as a person receives them. */
async function fetched(person: TestPerson, sent: { id: string; chat: string }): Promise<Buffer> {
  const file = await person.client.files.open(sent.chat as never, sent.id as MessageId, WITHIN)
  return Buffer.concat(await Array.fromAsync(file.read(), chunk => Uint8Array.from(chunk)))
}

const download = (api: Api, path: string, headers: Record<string, string> = {}) => api.get(`${path}/file`, { headers })

describe('sending', () => {
  test('[GATEWAY-7.2] a file comes to people as it was sent, and to the bot as it was told', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const bytes = randomBytes(700_001)
    const sent = await sentFile(api, path, bytes, { name: 'data.bin' })
    expect(message.parse(sent)).toEqual(sent)
    expect(sent).toMatchObject({ chat_id: alice.id, from: { name: 'bot' }, status: 'sent' })
    expect(sent.file).toEqual({ name: 'data.bin', size: 700_001, type: 'application/octet-stream', kind: 'file' })
    expect(sent).not.toHaveProperty('text')
    expect((await sees(alice, sent)).file).toEqual(sent.file)
    expect(await fetched(alice, { id: sent.id, chat: toBot })).toEqual(bytes)
    expect(await api.ok('GET', `${path}/messages/${sent.id}`)).toMatchObject({ file: sent.file })
    expect((await api.updates()).filter(({ type }) => type === 'message')).toEqual([])
  })

  test('[GATEWAY-7.1] a form in which nobody has chosen a file is 400, and an empty file is sent', async ({
    talking: { api, path },
  }) => {
    expect(await sendForm(api, path, '', { name: '' })).toEqual(badRequest(/^file: is required\.$/))
    expect(await api.ok('GET', `${path}/messages`)).toEqual([])
    expect((await sentFile(api, path, '', { name: 'empty.txt' })).file).toMatchObject({ name: 'empty.txt', size: 0 })
  })

  test('[GATEWAY-7.2] the kind is what the bytes say; a name and a header change nothing', async ({
    talking: { api, path },
  }) => {
    const files: [Uint8Array | string, string, string][] = [
      [await picture(40, 30).jpeg().toBuffer(), 'image/jpeg', 'photo'],
      [await picture(40, 30).png().toBuffer(), 'image/png', 'photo'],
      [await picture(40, 30).webp().toBuffer(), 'image/webp', 'photo'],
      [await picture(40, 30).gif().toBuffer(), 'image/gif', 'file'],
      [mp4, 'video/mp4', 'video'],
      [opus, 'audio/ogg', 'voice'],
      ['%PDF-1.7', 'application/pdf', 'file'],
      ['', 'text/plain', 'file'],
    ]
    for (const [bytes, type, kind] of files) {
      const { file } = await sentFile(api, path, bytes, { name: 'x.txt' })
      expect(file).toMatchObject({ type, kind, name: 'x.txt', size: Buffer.byteLength(bytes) })
    }
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
    const { file } = await sentFile(api, path, svg, { name: 'picture.png', type: 'image/png' })
    expect(file).toMatchObject({ type: 'application/octet-stream', kind: 'file' })
    const { file: page } = await sentFile(api, path, '<p>', { name: 'a.html', type: 'text/html; charset=utf-8' })
    expect(page).toMatchObject({ type: 'text/html', kind: 'file' })
  })

  test('[GATEWAY-7.2] a kind that is given counts', async ({ talking: { api, path } }) => {
    const photo = await picture(40, 30).jpeg().toBuffer()
    expect((await sentFile(api, path, photo, { fields: { kind: 'file' } })).file).toMatchObject({
      kind: 'file',
      type: 'image/jpeg',
    })
    expect((await sentFile(api, path, 'any', { fields: { kind: 'voice' } })).file.kind).toBe('voice')
    expect((await sentFile(api, path, 'any', { fields: { kind: 'video' } })).file.kind).toBe('video')
  })

  test('[GATEWAY-7.3] a photo has its preview and its upright size, whatever the fields say', async ({
    alice,
    talking: { api, path },
  }) => {
    const lying = await picture(800, 600).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const sent = await sentFile(api, path, lying, { fields: { width: '7', height: '7', duration_ms: '7' } })
    expect(sent.file).toMatchObject({ kind: 'photo', width: 600, height: 800 })
    expect(sent.file).not.toHaveProperty('duration_ms')
    const preview = sent.file.preview ?? ''
    expect(preview).toMatch(/^data:image\/(jpeg|webp);base64,/)
    const small = await sharp(Buffer.from(preview.split(',')[1] ?? '', 'base64')).metadata()
    expect([small.width, small.height]).toEqual([240, 320])
    expect((await sees(alice, sent)).file).toEqual(sent.file)
  })

  test('[GATEWAY-7.3] a large photo has the preview of a small one, whether its kind is known before it comes or not', async ({
    talking: { api, path },
  }) => {
    const large = await picture(4000, 2000).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
    const small = await picture(400, 200).withMetadata({ orientation: 6 }).jpeg({ quality: 100 }).toBuffer()
    const { preview } = (await sentFile(api, path, small)).file
    for (const fields of [{}, { kind: 'photo' }])
      expect((await sentFile(api, path, large, { fields })).file).toMatchObject({ width: 2000, height: 4000, preview })
    expect((await sentFile(api, path, large, { fields: { kind: 'file' } })).file).not.toHaveProperty('preview')
  })

  test('[GATEWAY-7.4] a photo that is wanted and cannot be one is 400; unasked it goes as a file', async ({
    talking: { api, path },
  }) => {
    const whole = await picture(300, 300).jpeg().toBuffer()
    const bomb = Buffer.from(await picture(4, 4).png().toBuffer())
    bomb.writeUInt32BE(60_000, 16)
    bomb.writeUInt32BE(60_000, 20)
    const wrong: [Uint8Array | string, RegExp][] = [
      ['<svg/>', /^kind: must be a JPEG, PNG or WebP file/],
      [mp4, /^kind: must be a JPEG, PNG or WebP file/],
      [whole.subarray(0, whole.length / 2), /^kind: is damaged/],
      [bomb, /^kind: (must have at most 100 megapixels|is damaged)/],
      [Buffer.concat([whole, Buffer.alloc(32 * 1024 * 1024)]), /^kind: must be a photo of at most 33554432 bytes/],
    ]
    for (const [bytes, sentence] of wrong) {
      expect(await sendForm(api, path, bytes, { fields: { kind: 'photo' } })).toEqual(badRequest(sentence))
      expect((await sentFile(api, path, bytes)).file.kind).not.toBe('photo')
    }
  })

  test('[GATEWAY-7.5] video and voice take their length and size; caption and reply_to go along', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const { id: reply_to } = await alice.say(toBot, 'show me')
    await api.next('message')
    const fields = { caption: 'Да 🎬', reply_to, duration_ms: '61000', width: '1920', height: '1080' }
    const video = await sentFile(api, path, mp4, { name: 'clip.mp4', fields })
    expect(video).toMatchObject({
      text: 'Да 🎬',
      reply_to,
      file: { kind: 'video', duration_ms: 61_000, width: 1920, height: 1080 },
    })
    expect(await sees(alice, video)).toMatchObject({ text: 'Да 🎬', reply_to, file: video.file })
    const voice = await sentFile(api, path, opus, { fields: { duration_ms: '0', caption: '' } })
    expect(voice.file).toMatchObject({ kind: 'voice', duration_ms: 0 })
    expect(voice).not.toHaveProperty('text')
    const plain = await sentFile(api, path, 'x', { fields: { duration_ms: '5', width: '5', height: '5' } })
    for (const field of ['duration_ms', 'width', 'height']) expect(plain.file).not.toHaveProperty(field)
    const unknown = await sendForm(api, path, 'x', { fields: { reply_to: 'b'.repeat(32) } })
    expect(unknown).toEqual(badRequest('reply_to: must be the id of a message in this chat.'))
  })

  test.for([
    ['../../../etc/passwd', 'passwd'],
    ['/etc/shadow', 'shadow'],
    ['C:\\boot.ini', 'boot.ini'],
    ['..', 'file'],
    ['a\0b\x1b[31m.txt', 'ab[31m.txt'],
    ['invoice\u202excod.exe', 'invoicexcod.exe'],
    [`${'n'.repeat(4000)}.jpeg`, `${'n'.repeat(250)}.jpeg`],
    ['Смета "май"; 100%.pdf', 'Смета "май"; 100%.pdf'],
  ] as const)(
    '[GATEWAY-7.8] a file called %j becomes %j, here and for people',
    async ([given, name], { alice, talking: { api, path } }) => {
      const sent = await sentFile(api, path, 'x', { name: given })
      expect(sent.file.name).toBe(name)
      expect((await sees(alice, sent)).file?.name).toBe(name)
      const disposition = (await download(api, `${path}/messages/${sent.id}`)).headers.get('content-disposition') ?? ''
      expect(disposition).toMatch(
        /^attachment; filename="[\x20-\x7e]+"(; filename\*=UTF-8''[\w.!~-]*(%[0-9A-F]{2}[\w.!~-]*)*)?$/,
      )
      const encoded = /filename\*=UTF-8''(.+)$/.exec(disposition)?.[1]
      expect(encoded === undefined ? /filename="(.+)"/.exec(disposition)?.[1] : decodeURIComponent(encoded)).toBe(name)
    },
  )

  test('[GATEWAY-7.9] the same Idempotency-Key sends the file once; another file or field under it is 400', async ({
    alice,
    talking: { api, path, toBot },
  }) => {
    const send = (bytes: string, fields: Record<string, string> = {}) =>
      sendForm(api, path, bytes, { name: 'a.txt', fields, key: 'k' })
    const first = await send('one', { caption: 'c' })
    expect(first.status).toBe(200)
    const again = await send('one', { caption: 'c', unknown: 'x' })
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    expect(await send('two', { caption: 'c' })).toEqual(badRequest(/a different request/))
    expect(await send('one', { caption: 'd' })).toEqual(badRequest(/a different request/))
    const both = await Promise.all([1, 2, 3].map(() => sendForm(api, path, 'at once', { key: 'k 2' })))
    expect(new Set(both.map(({ body }) => body.id)).size).toBe(1)
    await sees(alice, first.body)
    await sentFile(api, path, 'end', { fields: { caption: 'the end' } })
    await alice.hears('the end')
    expect(alice.client.messages.list(toBot, { limit: 9 }).filter(({ file }) => file)).toHaveLength(3)
  })

  test('[GATEWAY-7.5] a file to somebody the bot never met opens a chat; to nobody it is 404', async ({
    bob,
    talking: { api },
  }) => {
    const sent = await sentFile(api, `/v1/chats/${bob.id}`, 'hello', { fields: { caption: 'hi' } })
    expect((await bob.hears('hi')).id).toBe(sent.id)
    for (const chat of ['b'.repeat(32), 'c'.repeat(26), 'x'])
      expect((await sendForm(api, `/v1/chats/${chat}`, 'x')).status).toBe(404)
  })
})

describe('captions', () => {
  test('[GATEWAY-7.13] are edited, with buttons and without, and taken away', async ({
    alice,
    talking: { api, path },
  }) => {
    const sent = await sentFile(api, path, 'x', { fields: { caption: 'first' } })
    await sees(alice, sent)
    const edit = async (json: object) => {
      const edited = await api.ok('PATCH', `${path}/messages/${sent.id}`, json)
      expect((await alice.next('edited')).message).toMatchObject({ id: sent.id, file: sent.file })
      return edited
    }
    const buttons = [[{ text: 'ok', data: 'ok' }]]
    expect(await edit({ text: 'second', buttons })).toMatchObject({ text: 'second', buttons, file: sent.file })
    const bare = await edit({ text: '' })
    expect(bare).toMatchObject({ buttons, file: sent.file })
    expect(bare).not.toHaveProperty('text')
    expect(await (await download(api, `${path}/messages/${sent.id}`)).text()).toBe('x')
  })
})
