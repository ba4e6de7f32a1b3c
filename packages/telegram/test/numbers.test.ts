// Numbers of accounts, chats and messages: small enough for every library, and never shared.
import type { Records } from '@postern/core'
import type { ChatId } from '@postern/protocol'
import { gatewayLimits } from '@postern/protocol'
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

test('[TELEGRAM-4.4] old messages lose their numbers, which are not used again', async ({ bot, alice, clock }) => {
  const { client } = bot
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(client, clock)
  expect(await Promise.all(['a', 'b', 'a'].map(id => numberIn(numbers, chat, id)))).toEqual([1, 2, 1])
  // As if that number of messages had been sent since.
  await client
    .records('telegram-messages')
    .change({ key: `${chat} newest`, put: String(gatewayLimits.telegramMessagesPerChatMax) })
  expect(await numberIn(numbers, chat, 'c')).toBe(gatewayLimits.telegramMessagesPerChatMax + 1)
  expect([numbers.idOf(chat, 1), numbers.idOf(chat, 2)]).toEqual([undefined, 'b'])
  expect(await numberIn(numbers, chat, 'a')).toBe(gatewayLimits.telegramMessagesPerChatMax + 2)
})

test('[TELEGRAM-4.4] after a skip, too, old messages lose their numbers in their turn', async ({
  bot,
  alice,
  clock,
}) => {
  const { client } = bot
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(client, clock)
  expect([await numberIn(numbers, chat, 'a'), await numberIn(numbers, chat, 'b')]).toEqual([1, 2])
  // As after a restore.
  await client.records('skipped-ids').change({ key: 'total', put: '1000' })
  const next = await numberIn(numbers, chat, 'c')
  expect(next).toBe(2 + 22_000 + 1)
  // As if almost all of the messages had been sent since.
  const newest = next + gatewayLimits.telegramMessagesPerChatMax - 4
  await client.records('telegram-messages').change({ key: `${chat} newest`, put: String(newest) })
  const kept = () => [1, 2, next].map(number => numbers.idOf(chat, number))
  expect(await numberIn(numbers, chat, 'd')).toBe(newest + 1)
  expect(kept()).toEqual(['a', 'b', 'c'])
  await numberIn(numbers, chat, 'e')
  expect(kept()).toEqual([undefined, 'b', 'c'])
  for (const id of ['f', 'g']) await numberIn(numbers, chat, id)
  expect(kept()).toEqual([undefined, undefined, undefined])
  expect(numbers.idOf(chat, newest + 1)).toBe('d')
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
