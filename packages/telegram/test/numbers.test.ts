// Numbers of accounts, chats and messages: small enough for every library, and never shared.
import type { Records } from '@postern/core'
import type { ChatId } from '@postern/protocol'
import { CodedError, gatewayLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect, vi } from 'vitest'
import { ChatNumbers, derivedNumber } from '../src/ids/chat-numbers.ts'
import { MessageNumbers } from '../src/ids/message-numbers.ts'
import { numberIn, type Shown, test } from './telegram.ts'

const SOON = { timeout: WITHIN.timeoutMs, interval: 20 }

test('[TELEGRAM-4.3] numbers have fewer than 52 bits, and a taken one goes to nobody else', async ({
  bot,
  alice,
  bob,
}) => {
  const numbers = new ChatNumbers(bot.client)
  const taken = derivedNumber(alice.id)
  expect(taken).toBeLessThan(2 ** 51)
  // As if bob's number were the same as hers.
  await bot.client.records('telegram-chats').change({ key: `n${taken}`, put: bob.id })
  await Promise.all([numbers.assign([alice.id, alice.id]), numbers.assign([alice.id])])
  expect(numbers.find(alice.id)).toBe(taken + 1)
  expect(numbers.resolve(String(taken + 1))).toBe(alice.id)
  expect(numbers.resolve(String(taken))).toBe(bob.id)
  expect(() => numbers.resolve(String(-taken))).toThrow('Bad Request: chat not found')
  expect(new ChatNumbers(bot.client).find(alice.id)).toBe(taken + 1)
})

const { telegramMessagesPerChatMax: KEPT, telegramNumbersPerBlock: PER_BLOCK } = gatewayLimits

const idsFrom = (first: number, count: number): string[] => Array.from({ length: count }, (_, at) => `m${first + at}`)

/** By pages, as they are given to a bot that has been away. */
async function assignAll(numbers: MessageNumbers, chat: ChatId, ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += 100) await numbers.assign(ids.slice(at, at + 100).map(id => ({ chat, id })))
}

test('[TELEGRAM-4.4] the newest messages keep their numbers, and those of the others are not used again', async ({
  bot,
  alice,
  clock,
}) => {
  const chat: ChatId = alice.chatId
  const records = bot.client.records('telegram-messages')
  const numbers = new MessageNumbers(bot.client, clock)
  await assignAll(numbers, chat, idsFrom(1, KEPT + PER_BLOCK - 1))
  const inMemory = (id: string) => numbers.find({ chat, id })
  const afterRestart = (id: string) => new MessageNumbers(bot.client, clock).find({ chat, id })
  // One number is kept until all of its block can go.
  for (const find of [inMemory, afterRestart]) expect(find('m1')).toBe(1)
  expect(numbers.idOf(chat, 1)).toBe('m1')
  const full = records.all().length
  const next = KEPT + PER_BLOCK
  await assignAll(numbers, chat, [`m${next}`])
  for (const find of [inMemory, afterRestart])
    expect(['m1', `m${PER_BLOCK - 1}`, `m${PER_BLOCK}`, `m${PER_BLOCK + 1}`, `m${next}`].map(find)).toEqual([
      undefined,
      undefined,
      PER_BLOCK,
      PER_BLOCK + 1,
      next,
    ])
  expect([1, PER_BLOCK - 1, PER_BLOCK].map(number => numbers.idOf(chat, number))).toEqual([
    undefined,
    undefined,
    `m${PER_BLOCK}`,
  ])
  expect(records.all().length).toBeLessThanOrEqual(full)
  await assignAll(numbers, chat, ['m1'])
  for (const find of [inMemory, afterRestart]) expect(find('m1')).toBe(next + 1)
  expect(numbers.idOf(chat, next + 1)).toBe('m1')
})

test('[TELEGRAM-4.4] after a skip, too, old messages lose their numbers in their turn', async ({
  bot,
  alice,
  clock,
}) => {
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(bot.client, clock)
  await assignAll(numbers, chat, ['a', 'b'])
  // As after a restore.
  await bot.client.records('skipped-ids').change({ key: 'total', put: '1000' })
  const next = await numberIn(numbers, chat, 'c')
  expect(next).toBe(2 + 22_000 + 1)
  await assignAll(numbers, chat, idsFrom(next + 1, KEPT - 1))
  const kept = (given: MessageNumbers) => [1, 2, next].map(number => given.idOf(chat, number))
  expect(kept(numbers)).toEqual(['a', 'b', 'c'])
  const again = new MessageNumbers(bot.client, clock)
  expect(['a', 'b', 'c'].map(id => again.find({ chat, id }))).toEqual([1, 2, next])
  await assignAll(again, chat, [`m${next + KEPT}`])
  expect(kept(again)).toEqual([undefined, undefined, 'c'])
  expect(again.find({ chat, id: 'a' })).toBeUndefined()
  expect(again.idOf(chat, next + KEPT)).toBe(`m${next + KEPT}`)
})

test('[TELEGRAM-4.1] numbers that are given at the same time, by two readers or beside a failing write, are given once', async ({
  bot,
  alice,
  clock,
}) => {
  const chat: ChatId = alice.chatId
  const [one, other] = [new MessageNumbers(bot.client, clock), new MessageNumbers(bot.client, clock)]
  expect(await Promise.all(['a', 'b', 'a'].map(id => numberIn(one, chat, id)))).toEqual([1, 2, 1])
  await Promise.all([assignAll(one, chat, ['c', 'd']), assignAll(other, chat, ['d', 'a', 'e'])])
  const failing = bot.client.records('telegram-messages').change({ key: 'x', put: null as unknown as string })
  const [given] = await Promise.allSettled([assignAll(one, chat, ['f']), failing])
  expect(given?.status).toBe('fulfilled')
  for (const numbers of [one, other, new MessageNumbers(bot.client, clock)]) {
    await assignAll(numbers, chat, ['a', 'b', 'c', 'd', 'e', 'f'])
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(id => numbers.find({ chat, id }))).toEqual([1, 2, 3, 4, 5, 6])
    expect([1, 2, 3, 4, 5, 6, 7].map(number => numbers.idOf(chat, number) ?? '')).toEqual([...'abcdef', ''])
  }
})

test('[TELEGRAM-4.1] a number that a full disk did not take is forgotten, and goes to the next message', async ({
  bot,
  alice,
  clock,
  onTestFinished,
}) => {
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(bot.client, clock)
  await assignAll(numbers, chat, ['a'])
  const records = Object.getPrototypeOf(bot.client.records('telegram-messages')) as Records
  const { transact } = records
  const full = vi.spyOn(records, 'transact').mockImplementation(async function (this: Records, work) {
    return await transact.call(this, change => {
      work(change)
      throw new CodedError('storage-full')
    })
  })
  onTestFinished(() => full.mockRestore())
  await expect(assignAll(numbers, chat, ['b'])).rejects.toThrow()
  full.mockRestore()
  expect([numbers.find({ chat, id: 'b' }), numbers.idOf(chat, 2)]).toEqual([undefined, undefined])
  await assignAll(numbers, chat, ['c', 'b'])
  for (const given of [numbers, new MessageNumbers(bot.client, clock)])
    expect(['a', 'c', 'b'].map(id => given.find({ chat, id }))).toEqual([1, 2, 3])
})

test('[TELEGRAM-4.7] the new numbers of a page are stored in one transaction, and known ones in none', async ({
  telegram,
  alice,
  bob,
  onTestFinished,
}) => {
  const { client } = telegram.gateway
  await bob.openInvite((await telegram.gateway.api<{ invite_url: string }>('GET', '/v1/me')).body.invite_url)
  for (const text of ['one', 'two', 'three']) await alice.say(telegram.toBot, text)
  for (const text of ['four', 'five']) await bob.say(telegram.toBot, text)
  const texts = ['one', 'two', 'three', 'four', 'five']
  await expect.poll(() => client.journal.read(0, 100).some(({ json }) => json.includes('"five"')), SOON).toBe(true)
  let writes = 0
  onTestFinished(
    client.onChange(topics => {
      if (['records:telegram-messages', 'records:telegram-chats'].some(topic => topics.has(topic as never))) writes += 1
    }),
  )
  const read = async (): Promise<Shown[]> => {
    const updates = (await telegram.ok('getUpdates')) as Shown[]
    return updates.map(update => update['message'] as Shown).filter(message => texts.includes(message?.['text']))
  }
  const first = await read()
  expect(first.map(message => message['text'])).toEqual(texts)
  expect(writes).toBe(1)
  // A transaction without a change waits for the disk as any other.
  const transact = vi.spyOn(Object.getPrototypeOf(client.records('telegram-messages')) as Records, 'transact')
  onTestFinished(() => transact.mockRestore())
  expect(await read()).toEqual(first)
  expect(transact).not.toHaveBeenCalled()
})

test('[TELEGRAM-4.7] so are those of a page with a group, its members and an answer', async ({
  telegram,
  alice,
  bob,
  onTestFinished,
}) => {
  const { client } = telegram.gateway
  const group = await bob.client.chats.createGroup({ name: 'crew', members: [client.account, alice.id] }, WITHIN)
  await alice.next('chat', event => event.chat_id === group.id)
  const question = await bob.say(group.id, 'question')
  await alice.hears('question')
  await alice.client.messages.sendText(group.id, { text: 'answer', replyTo: question.id }, WITHIN)
  await expect.poll(() => client.journal.read(0, 100).some(({ json }) => json.includes('"answer"')), SOON).toBe(true)
  let writes = 0
  onTestFinished(
    client.onChange(topics => {
      if (['records:telegram-messages', 'records:telegram-chats'].some(topic => topics.has(topic as never))) writes += 1
    }),
  )
  const updates = (await telegram.ok('getUpdates')) as Shown[]
  expect(updates.map(update => update['message']?.text)).toContain('answer')
  expect(updates.map(update => update['message']?.group_chat_created)).toContain(true)
  expect(writes).toBe(1)
})
