// Forwarded messages: new messages of the person in other chats, marked, in order, with their files under new keys.
import { randomBytes } from 'node:crypto'
import { appLimits, type ChatId, type MessageId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { meet, type TestApp } from './app-world.ts'

const chatOf = (app: TestApp) => app.account.client.account as string as ChatId
const messagesOf = (person: TestPerson, app: TestApp) => person.client.messages.list(chatOf(app), { limit: 100 })

async function wholeOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/** The bot has sent a text with buttons and a mention, and a photo; the app knows bob and carol, too. */
const test = base.extend('received', ({ started: { app, page }, bot, bob, carol }) => async () => {
  const chat = await meet(page, bot)
  for (const person of [bob, carol]) await meet(page, person)
  const buttons = [[{ text: 'Book', data: 'book' }]]
  const mentions = [{ user: app.account.client.account, offset: 0, length: 5 }]
  const entities = [{ type: 'bold', offset: 7, length: 9 } as const]
  const text = { text: 'alice, the ferry leaves at nine', buttons, mentions, entities }
  const { id: said } = await bot.client.messages.sendText(chatOf(app), text, WITHIN)
  const bytes = new Uint8Array(randomBytes(300_000))
  const draft = await bot.client.files.draft(
    (async function* () {
      yield bytes
    })(),
  )
  const words = {
    draft,
    name: 'pier.png',
    type: 'image/png',
    kind: 'photo',
    width: 4,
    height: 3,
    text: 'The pier',
  } as const
  const { id: photo } = await bot.client.files.send(chatOf(app), words, WITHIN)
  await draft.discard()
  await expect.poll(() => app.account.client.messages.has(chat, photo)).toBe(true)
  return { chat, said, photo, bytes }
})

test('[APP-2.20] go to every chosen chat in their order, marked, without buttons, mentions and the name of their author', async ({
  started: { app, page },
  bob,
  carol,
  received,
}) => {
  const { chat, said, photo, bytes } = await received()
  // Selected in another order.
  await page.call('forward', { chat, messages: [photo, said], to: [bob.chatId, carol.chatId] })
  for (const person of [bob, carol]) {
    await expect.poll(() => messagesOf(person, app)).toHaveLength(2)
    const [first, second] = messagesOf(person, app)
    const entities = [{ type: 'bold', offset: 7, length: 9 }]
    expect(first).toMatchObject({ text: 'alice, the ferry leaves at nine', entities, forwarded: true })
    expect(first).not.toHaveProperty('buttons')
    expect(first).not.toHaveProperty('mentions')
    expect(first?.from.id).toBe(app.account.client.account)
    const file = { name: 'pier.png', type: 'image/png', kind: 'photo', width: 4, height: 3, size: bytes.length }
    expect(second).toMatchObject({ text: 'The pier', forwarded: true, file })
    const opened = await person.client.files.open(chatOf(app), second?.id as MessageId, WITHIN)
    expect(Buffer.compare(await wholeOf(opened.read()), bytes)).toBe(0)
  }
})

test('[APP-2.21] are uploaded again under a new key: no two chats share a blob', async ({
  started: { app, page },
  bob,
  carol,
  received,
}) => {
  const { chat, photo } = await received()
  await page.call('forward', { chat, messages: [photo], to: [bob.chatId, carol.chatId] })
  for (const person of [bob, carol]) await expect.poll(() => messagesOf(person, app)).toHaveLength(1)
  const { store } = app.account.client['core']
  const bodies = store
    .all<{ body: string }>('SELECT body FROM message')
    .map(({ body }) => JSON.parse(body) as { blob?: string; key?: string })
    .filter(({ blob }) => blob !== undefined)
  expect(bodies).toHaveLength(3)
  expect(new Set(bodies.map(({ blob }) => blob)).size).toBe(3)
  expect(new Set(bodies.map(({ key }) => key)).size).toBe(3)
})

test('[APP-2.22] are queued once under the key of the call, and not at all when one of them cannot be forwarded', async ({
  started: { app, page },
  bot,
  bob,
  received,
}) => {
  const { chat, said, photo } = await received()
  const asked = { question: 'Cake?', options: ['Yes', 'No'], multiple: false }
  const { id: poll } = await bot.client.messages.sendPoll(chatOf(app), asked, WITHIN)
  await expect.poll(() => app.account.client.messages.has(chat, poll)).toBe(true)
  const malformed = { fault: { code: 'call-malformed' } }
  await expect(page.call('forward', { chat, messages: [said, poll], to: [bob.chatId] })).rejects.toMatchObject(
    malformed,
  )
  const many = Array.from({ length: appLimits.forwardedMax + 1 }, () => said)
  await expect(page.call('forward', { chat, messages: many, to: [bob.chatId] })).rejects.toMatchObject(malformed)
  // The relay has lost the file, and so has this device.
  await bot.client.messages.delete(chatOf(app), { message: photo, for: 'all' }, WITHIN)
  await expect.poll(() => app.account.client.messages.has(chat, photo)).toBe(false)
  await expect(page.call('forward', { chat, messages: [said, photo], to: [bob.chatId] })).rejects.toMatchObject({
    fault: { code: 'message-not-found' },
  })
  const twice = { chat, messages: [said], to: [bob.chatId] }
  await Promise.all([page.call('forward', twice, 'one-key'), page.call('forward', twice, 'one-key')])
  await page.call('forward', twice, 'one-key')
  await page.call('send', { chat: bob.chatId, text: 'after it' })
  await expect
    .poll(() => messagesOf(bob, app).map(({ text }) => text))
    .toEqual(['alice, the ferry leaves at nine', 'after it'])
})
