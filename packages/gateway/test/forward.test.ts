// Messages that the bot forwards or copies: from chat to chat, as people receive them.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Message } from '@postern/bot-api'
import { type ChatId, isMessageId, type MessageId, privateChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import sharp from 'sharp'
import { expect } from 'vitest'
import { type Api, SOON } from './api.ts'
import { blobsAtRelay } from './files-left.ts'
import { test as base } from './fixtures.ts'
import { sentFile } from './send-form.ts'
import { badRequest, grouped, notFound, sees } from './talking.ts'

const test = base
  /** bob and the bot, in a second chat of the bot. */
  .extend('toBob', async ({ talking: { api }, bob }) => {
    await bob.openInvite((await api.me()).invite_url)
    await api.next('chat', update => update.chat_id === privateChatId(bob.id))
    return `/v1/chats/${bob.id}`
  })

const original = (sent: Pick<Message, 'id' | 'chat_id'>) => ({ chat_id: sent.chat_id, message_id: sent.id })

const forward = (api: Api, path: string, json: object, key?: string) =>
  api.call<Message>('POST', `${path}/forward`, {
    json,
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })

async function forwarded(api: Api, path: string, json: object, key?: string): Promise<Message> {
  const { status, body } = await forward(api, path, json, key)
  expect([status, body]).toEqual([200, body])
  return body
}

async function* one(bytes: Uint8Array) {
  yield bytes
}

async function fetched(person: TestPerson, { id }: Pick<Message, 'id'>, chat: ChatId) {
  const file = await person.client.files.open(chat, id, WITHIN)
  return Buffer.concat(await Array.fromAsync(file.read(), chunk => Uint8Array.from(chunk)))
}

test('[GATEWAY-4.31] a text of alice goes to bob, with its formatting and the mark', async ({
  alice,
  bob,
  toBob,
  talking: { api, toBot },
}) => {
  const entities = [{ type: 'bold' as const, offset: 0, length: 3 }]
  const said = await alice.client.messages.sendText(toBot, { text: 'the plan', entities }, WITHIN)
  const { message } = await api.next('message', update => update.message.id === said.id)
  const sent = await forwarded(api, toBob, { from: original(message), silent: true })
  expect(sent).toMatchObject({ chat_id: bob.id, text: 'the plan', entities, forwarded: true, silent: true })
  expect(await sees(bob, sent)).toMatchObject({ text: 'the plan', entities, forwarded: true, silent: true })
})

test('[GATEWAY-4.31] a copy has no mark, keeps no buttons and mentions, and has those of the request', async ({
  alice,
  bob,
  toBob,
  talking: { api, path },
}) => {
  const mentions = [{ user: alice.id, offset: 0, length: 5 }]
  const buttons = [[{ text: 'Yes', data: 'yes' }]]
  const body = { text: 'Alice, go?', mentions, buttons }
  const asked = await api.ok<Message>('POST', `${path}/messages`, body)
  const first = await forwarded(api, toBob, { from: original(asked) })
  const plain = await forwarded(api, toBob, { from: original(first), copy: true })
  expect(first).toMatchObject({ text: 'Alice, go?', forwarded: true })
  for (const field of ['mentions', 'buttons']) expect(first).not.toHaveProperty(field)
  expect(plain).not.toHaveProperty('forwarded')
  const other = [[{ text: 'No', data: 'no' }]]
  const sent = await forwarded(api, toBob, { from: original(asked), copy: true, buttons: other, reply_to: plain.id })
  expect(await sees(bob, sent)).toMatchObject({ text: 'Alice, go?', buttons: other, reply_to: plain.id })
})

test('[GATEWAY-4.31] a forwarded message disappears by the timer of its new chat', async ({
  toBob,
  talking: { api, path },
}) => {
  const said = await api.ok<Message>('POST', `${path}/messages`, { text: 'kept' })
  const file = await sentFile(api, path, 'a report')
  await api.ok('PATCH', toBob, { timer_ms: 60_000 })
  for (const one of [said, file]) {
    expect(await forwarded(api, toBob, { from: original(one) })).toHaveProperty('expires_ts')
    expect(await api.ok('GET', `${path}/messages/${one.id}`)).not.toHaveProperty('expires_ts')
  }
})

test('[GATEWAY-4.31] a poll is 400, and so are a caption without copy, or for a text', async ({
  toBob,
  talking: { api, path },
}) => {
  const poll = await api.ok<Message>('POST', `${path}/polls`, { question: 'Tea?', options: ['yes', 'no'] })
  const text = await api.ok<Message>('POST', `${path}/messages`, { text: 'a text' })
  const [ofPoll, ofText] = [{ from: original(poll) }, { from: original(text) }]
  expect(await forward(api, toBob, ofPoll)).toMatchObject(
    badRequest('from.message_id: must be the id of a text or a file.'),
  )
  expect(await forward(api, toBob, { ...ofText, caption: 'x' })).toMatchObject(
    badRequest('caption: must be sent together with copy.'),
  )
  expect(await forward(api, toBob, { ...ofText, format: 'markdown', copy: true })).toMatchObject(
    badRequest('format: must be sent together with a caption.'),
  )
  expect(await forward(api, toBob, { ...ofText, copy: true, caption: 'x' })).toMatchObject(
    badRequest('caption: must not be sent with a text.'),
  )
  expect(await api.ok<Message[]>('GET', `${toBob}/messages`)).toEqual([])
})

test('[GATEWAY-4.32] a file arrives with the same bytes, name and caption, from another blob', async ({
  world,
  alice,
  bob,
  toBob,
  talking: { api, path, toBot },
}) => {
  const bytes = randomBytes(300_001)
  const sent = await sentFile(api, path, bytes, { name: 'plan.bin', fields: { caption: 'the plan' } })
  const passed = await forwarded(api, toBob, { from: original(sent) })
  expect(passed).toMatchObject({ text: 'the plan', file: sent.file, forwarded: true })
  expect(await sees(bob, passed)).toMatchObject({ text: 'the plan', file: sent.file, forwarded: true })
  expect(blobsAtRelay(world)).toHaveLength(2)
  // Its blob is gone with the original, and the forwarded file is still there.
  await sees(alice, sent)
  await api.ok('DELETE', `${path}/messages/${sent.id}`)
  await expect.poll(() => blobsAtRelay(world), SOON).toHaveLength(1)
  expect(await fetched(bob, passed, toBot)).toEqual(bytes)
})

test('[GATEWAY-4.32] a file of alice can be copied into a group, with another caption or none', async ({
  alice,
  bob,
  talking: { api, path, toBot },
}) => {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#336699' } })
    .jpeg()
    .toBuffer()
  const draft = await alice.client.files.draft(one(picture), { to: toBot })
  const described = { name: 'tea.jpg', type: 'image/jpeg', kind: 'photo', text: 'old' } as const
  const said = await alice.client.files.send(toBot, { draft, ...described }, WITHIN)
  await draft.discard()
  await api.next('message', update => update.message.id === said.id)
  await bob.openInvite((await api.me()).invite_url)
  const from = { chat_id: path.slice('/v1/chats/'.length), message_id: said.id }
  const group = await grouped(api, [alice, bob])
  const copy = { from, copy: true, caption: '**new**', format: 'markdown' }
  const sent = await forwarded(api, group.path, copy)
  expect(sent).toMatchObject({ text: 'new', entities: [{ type: 'bold', offset: 0, length: 3 }] })
  expect(sent.file).toMatchObject({ name: 'tea.jpg', kind: 'photo', width: 40, height: 30 })
  expect(sent.file?.preview).toMatch(/^data:image\//)
  expect(await fetched(bob, await sees(bob, sent), group.chat)).toEqual(picture)
  expect(await forwarded(api, group.path, { from, copy: true, caption: '' })).not.toHaveProperty('text')
  expect(await forwarded(api, group.path, { from, copy: true })).toMatchObject({ text: 'old' })
  // Its bytes alone would make it a photo.
  const scan = await sentFile(api, path, picture, { name: 'scan.jpg', fields: { kind: 'file' } })
  const passed = await forwarded(api, group.path, { from: original(scan) })
  expect(passed.file).toMatchObject({ name: 'scan.jpg', kind: 'file' })
})

test('[GATEWAY-4.33] what is not there is 404, and nothing is sent', async ({
  world,
  bob,
  toBob,
  talking: { api, path },
}) => {
  const said = await api.ok<Message>('POST', `${path}/messages`, { text: 'gone' })
  const file = await sentFile(api, path, 'a report')
  const none = 'b'.repeat(32) as MessageId
  expect(isMessageId(none)).toBe(true)
  const lost = { ...original(said), message_id: none }
  expect(await forward(api, toBob, { from: lost })).toMatchObject(notFound(/^There is no message/))
  expect(await forward(api, toBob, { from: { ...original(said), chat_id: bob.id } })).toMatchObject(
    notFound(/^There is no message/),
  )
  expect(await forward(api, toBob, { from: { ...original(said), chat_id: 'x' } })).toMatchObject(notFound(/chat/))
  expect(await forward(api, `/v1/chats/${'a'.repeat(26)}`, { from: original(said) })).toMatchObject(notFound(/chat/))
  expect(await forward(api, `/v1/chats/${'a'.repeat(26)}`, { from: original(file) })).toMatchObject(notFound(/chat/))
  for (const one of [said, file]) {
    await api.ok('DELETE', `${path}/messages/${one.id}`)
    expect(await forward(api, toBob, { from: original(one) })).toMatchObject(notFound(/^There is no message/))
  }
  await expect.poll(() => blobsAtRelay(world), SOON).toEqual([])
  expect(await api.ok<Message[]>('GET', `${toBob}/messages`)).toEqual([])
})

test('[GATEWAY-4.33] a file whose bytes the relay no longer has is 404', async ({
  world,
  alice,
  toBob,
  talking: { api, path, toBot },
}) => {
  const draft = await alice.client.files.draft(one(Buffer.from('a report')), { to: toBot })
  const described = { name: 'report', type: 'text/plain', kind: 'file' } as const
  const said = await alice.client.files.send(toBot, { draft, ...described }, WITHIN)
  await draft.discard()
  await api.next('message', update => update.message.id === said.id)
  for (const blob of blobsAtRelay(world)) rmSync(blob)
  const from = { chat_id: path.slice('/v1/chats/'.length), message_id: said.id }
  expect(await forward(api, toBob, { from })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  expect(await api.ok<Message[]>('GET', `${toBob}/messages`)).toEqual([])
  expect(blobsAtRelay(world)).toEqual([])
})

test('[GATEWAY-4.34] the same key sends once, also when the original is gone by then', async ({
  world,
  toBob,
  talking: { api, path },
}) => {
  const said = await api.ok<Message>('POST', `${path}/messages`, { text: 'once' })
  const file = await sentFile(api, path, 'a report')
  for (const one of [said, file]) {
    const json = { from: original(one) }
    const [first, second] = await Promise.all([1, 2].map(() => forwarded(api, toBob, json, `key-${one.id}`)))
    expect(second).toEqual(first)
    await api.ok('DELETE', `${path}/messages/${one.id}`)
    expect(await forwarded(api, toBob, json, `key-${one.id}`)).toMatchObject({ id: first?.id })
    expect(await forward(api, toBob, { ...json, copy: true }, `key-${one.id}`)).toMatchObject(badRequest(/key/i))
  }
  expect(await api.ok<Message[]>('GET', `${toBob}/messages`)).toHaveLength(2)
  await expect.poll(() => blobsAtRelay(world), SOON).toHaveLength(1)
})
