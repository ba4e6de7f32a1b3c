// Albums of Telegram: sendMediaGroup, and media_group_id in what comes in and goes out.
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { refused, type Shown, type Telegram, test } from './telegram.ts'

type Part = [name: string, value: string | Blob]

function formOf(...parts: Part[]): { method: string; body: FormData } {
  const body = new FormData()
  for (const [name, value] of parts)
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, `${name}.txt`)
  return { method: 'POST', body }
}

const listOf = (...media: object[]): Part => ['media', JSON.stringify(media)]
const document = (media: string, others: object = {}) => ({ type: 'document', media, ...others })
const fileOf = (text: string): Part => [text, new Blob([`bytes of ${text}`])]

const namesIn = (messages: readonly Shown[]): unknown[] => messages.map(({ document: file }) => file?.file_name)
const group = async (telegram: Telegram, ...parts: Part[]) => await telegram.fetch('sendMediaGroup', formOf(...parts))

test('[TELEGRAM-7.8] sendMediaGroup sends one album in the order of its list, with uploads and files that the bot has', async ({
  telegram,
  alice,
  chat,
}) => {
  const to: Part = ['chat_id', String(chat)]
  const known = await telegram.fetch('sendDocument', formOf(to, ['document', new Blob(['known bytes'])]))
  await alice.next('message', event => event.message.file !== undefined)
  const { file_id: id } = known.body.result['document']
  // The list comes behind the files, as one library writes it, and in another order than they.
  const list = listOf(
    document('attach://two', { caption: '*bold*', parse_mode: 'Markdown' }),
    document(id),
    document('attach://one'),
  )
  const { status, body } = await group(telegram, to, fileOf('one'), fileOf('unused'), fileOf('two'), list)
  expect([status, body]).toMatchObject([200, { ok: true }])
  const sent = body.result as unknown as Shown[]
  expect(namesIn(sent)).toEqual(['two.txt', 'document.txt', 'one.txt'])
  expect(sent[0]).toMatchObject({ caption: 'bold', caption_entities: [{ type: 'bold' }] })
  expect(new Set(sent.map(message => message['media_group_id']))).toEqual(new Set([expect.stringMatching(/./)]))
  await alice.next('message', event => event.message.file?.name === 'one.txt')
  const files = alice.client.messages.list(telegram.toBot, { limit: 10 }).filter(message => message.album !== undefined)
  expect(files.map(({ file, text }) => [file?.name, text])).toEqual([
    ['two.txt', 'bold'],
    ['document.txt', undefined],
    ['one.txt', undefined],
  ])
  expect(new Set(files.map(({ album }) => album))).toEqual(new Set([sent[0]?.['media_group_id']]))
  const opened = await alice.client.files.open(telegram.toBot, files[1]?.id as never, WITHIN)
  const bytes = await Array.fromAsync(opened.read(), chunk => Uint8Array.from(chunk))
  expect(Buffer.concat(bytes).toString()).toBe('known bytes')
})

test('[TELEGRAM-7.8] several captions are joined with their formatting, and an album under a key is sent once', async ({
  telegram,
  alice,
  chat,
}) => {
  const to: Part = ['chat_id', String(chat)]
  const list = listOf(
    document('attach://one', { caption: 'first' }),
    document('attach://two', { caption: '<b>second</b>', parse_mode: 'HTML' }),
  )
  const form = () => formOf(to, list, fileOf('one'), fileOf('two'))
  const headers = { 'idempotency-key': 'album' }
  const { body } = await telegram.fetch('sendMediaGroup', { ...form(), headers })
  const again = await telegram.fetch('sendMediaGroup', { ...form(), headers })
  expect(again.body).toEqual(body)
  const { message } = await alice.next('message', event => event.message.text?.startsWith('first') === true)
  expect(message).toMatchObject({ text: 'first\nsecond', entities: [{ type: 'bold', offset: 6, length: 6 }] })
  await telegram.ok('sendMessage', { chat_id: chat, text: 'end' })
  await alice.hears('end')
  const files = alice.client.messages.list(telegram.toBot, { limit: 10 }).filter(({ file }) => file)
  expect(files).toHaveLength(2)
})

test('[TELEGRAM-7.8] a list that is wrong is refused, and nothing of it is sent', async ({ telegram, alice, chat }) => {
  const to: Part = ['chat_id', String(chat)]
  const one = document('attach://one')
  const two = { type: 'photo', media: 'attach://two' }
  const wrong: [Part[], string | RegExp][] = [
    [[to], 'Bad Request: there are no messages to send'],
    [[to, listOf()], 'Bad Request: there are no messages to send'],
    [[to, listOf(...Array.from({ length: 11 }, () => one))], 'Bad Request: too many messages to send as an album'],
    [
      [to, listOf(one, two), fileOf('one'), fileOf('two')],
      "Bad Request: document can't be mixed with other media types",
    ],
    [[to, listOf(one, one), fileOf('one')], 'Bad Request: a file must not be in an album twice'],
    [[to, listOf(one, document('attach://gone')), fileOf('one')], 'Bad Request: there is no file gone in the request'],
    [[to, listOf(one, document('nothing')), fileOf('one')], /wrong file_id/],
    [[to, listOf(one, document('https://a.example/x')), fileOf('one')], /media\[1\] must be uploaded/],
    [[to, listOf({ type: 'dice', media: 'x' })], /media\[0\].type must be/],
    [[to, ['media', '{']], "Bad Request: can't parse media as JSON"],
    [[to, listOf(two), fileOf('two')], /photo/i],
    [[fileOf('one'), to, listOf(one)], 'Bad Request: chat_id is empty: send it before the files'],
    [[to, listOf(document('attach://one', { caption: 'x'.repeat(5000) })), fileOf('one')], /caption is too long/],
  ]
  for (const [parts, why] of wrong) expect([parts, await group(telegram, ...parts)]).toEqual([parts, refused(why)])
  const many = Array.from({ length: 11 }, (_, at) => fileOf(String(at)))
  expect(await group(telegram, to, ...many, listOf(one))).toEqual(
    refused('Bad Request: too many messages to send as an album'),
  )
  await telegram.ok('sendMessage', { chat_id: chat, text: 'end' })
  await alice.hears('end')
  expect(alice.client.messages.list(telegram.toBot, { limit: 10 }).filter(({ file }) => file)).toEqual([])
})

test('[TELEGRAM-2.6] the files of an album that comes in have the same media_group_id, and no other message has one', async ({
  telegram,
  alice,
  chat,
}) => {
  expect(chat).toBeGreaterThan(0)
  const drafts = await Promise.all(['one', 'two'].map(text => alice.client.files.draft(bytesOf(text))))
  const files = drafts.map((draft, at) => ({ draft, name: `${at}.txt`, type: 'text/plain', kind: 'file' as const }))
  await alice.client.files.sendAlbum(telegram.toBot, files, WITHIN)
  for (const draft of drafts) await draft.discard()
  await alice.say(telegram.toBot, 'alone')
  const [first, second, third] = [
    await telegram.next('message'),
    await telegram.next('message'),
    await telegram.next('message'),
  ]
  expect(first).toMatchObject({ media_group_id: expect.stringMatching(/./), document: { file_name: '0.txt' } })
  expect(second).toMatchObject({ media_group_id: first?.['media_group_id'], document: { file_name: '1.txt' } })
  expect(third).toMatchObject({ text: 'alone' })
  expect(third).not.toHaveProperty('media_group_id')
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
