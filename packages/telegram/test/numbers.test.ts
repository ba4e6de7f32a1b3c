// Numbers of accounts, chats and messages: small enough for every library, and never shared.
import type { Records } from '@postern/core'
import type { ChatId } from '@postern/protocol'
import { gatewayLimits } from '@postern/protocol'
import { WITHIN } from '@postern/testkit'
import { expect, vi } from 'vitest'
import { ChatNumbers, derivedNumber } from '../src/ids/chat-numbers.ts'
import { MessageNumbers } from '../src/ids/message-numbers.ts'
import { type Shown, test } from './telegram.ts'

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
  const [first, again] = await Promise.all([numbers.of({ id: alice.id }), numbers.of({ id: alice.id })])
  expect([first, again]).toEqual([taken + 1, taken + 1])
  expect(numbers.resolve(String(taken + 1))).toBe(alice.id)
  expect(numbers.resolve(String(taken))).toBe(bob.id)
  expect(() => numbers.resolve(String(-taken))).toThrow('Bad Request: chat not found')
  expect(await new ChatNumbers(bot.client).of({ id: alice.id })).toBe(taken + 1)
})

test('[TELEGRAM-4.4] old messages lose their numbers, which are not used again', async ({ bot, alice, clock }) => {
  const { client } = bot
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(client, clock)
  expect(await Promise.all(['a', 'b', 'a'].map(id => numbers.of(chat, id)))).toEqual([1, 2, 1])
  // As if that number of messages had been sent since.
  await client
    .records('telegram-messages')
    .change({ key: `${chat} newest`, put: String(gatewayLimits.telegramMessagesPerChatMax) })
  expect(await numbers.of(chat, 'c')).toBe(gatewayLimits.telegramMessagesPerChatMax + 1)
  expect([numbers.idOf(chat, 1), numbers.idOf(chat, 2)]).toEqual([undefined, 'b'])
  expect(await numbers.of(chat, 'a')).toBe(gatewayLimits.telegramMessagesPerChatMax + 2)
})

test('[TELEGRAM-4.4] after a skip, too, old messages lose their numbers in their turn', async ({
  bot,
  alice,
  clock,
}) => {
  const { client } = bot
  const chat: ChatId = alice.chatId
  const numbers = new MessageNumbers(client, clock)
  expect([await numbers.of(chat, 'a'), await numbers.of(chat, 'b')]).toEqual([1, 2])
  // As after a restore.
  await client.records('skipped-ids').change({ key: 'total', put: '1000' })
  const next = await numbers.of(chat, 'c')
  expect(next).toBe(2 + 22_000 + 1)
  // As if almost all of the messages had been sent since.
  const newest = next + gatewayLimits.telegramMessagesPerChatMax - 4
  await client.records('telegram-messages').change({ key: `${chat} newest`, put: String(newest) })
  const kept = () => [1, 2, next].map(number => numbers.idOf(chat, number))
  expect(await numbers.of(chat, 'd')).toBe(newest + 1)
  expect(kept()).toEqual(['a', 'b', 'c'])
  await numbers.of(chat, 'e')
  expect(kept()).toEqual([undefined, 'b', 'c'])
  for (const id of ['f', 'g']) await numbers.of(chat, id)
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
