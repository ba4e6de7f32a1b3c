// Numbers of messages after a restore: a bot has noted some of them since the backup, and must never edit another message.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayLimits } from '@postern/protocol'
import { type ManualClock, passTime, WITHIN, type World } from '@postern/testkit'
import { test as inWorld } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { MessageNumbers } from '../src/ids/message-numbers.ts'
import { chatWith, numberIn, refused, type Shown, Telegram, TOKEN, telegramOf } from './telegram.ts'

const SOON = { timeout: WITHIN.timeoutMs, interval: 20 }
/** A restored gateway continues its chats after some seconds. */
const HEALED = { timeout: 2 * WITHIN.timeoutMs, interval: 50 }

const openIn = async (world: World, directory: string, clock?: ManualClock): Promise<Telegram> =>
  new Telegram(
    await world.gateway(
      { TELEGRAM_API: 'on', BOT_TOKEN: TOKEN, DATA_DIR: join(world.directory, directory) },
      { ...(clock && { clock }) },
    ),
  )

const test = inWorld
  .extend('telegram', ({ world, alice }) => telegramOf(world, alice))
  .extend('chat', ({ telegram, alice }) => chatWith(telegram, alice))
  /** Copies the gateway's data to these directories, and starts it again. */
  .extend('backUp', ({ world, telegram }) => async (...directories: string[]): Promise<Telegram> => {
    await world.closeGateway(telegram.gateway)
    for (const directory of directories)
      cpSync(join(world.directory, 'gateway'), join(world.directory, directory), { recursive: true })
    const again = await openIn(world, 'gateway')
    await again.gateway.client.whenOnline(WITHIN)
    return again
  })

/** Once the chat continues. */
async function numberOfNext(telegram: Telegram, chat: number): Promise<number> {
  let number = 0
  const send = async () => {
    const { status, body } = await telegram.call('sendMessage', { chat_id: chat, text: 'after the restore' })
    number = body.result?.['message_id'] as number
    return status
  }
  await expect.poll(send, HEALED).toBe(200)
  return number
}

test('[TELEGRAM-4.5] after each restore of a backup, old messages keep their numbers and new ones get unused ones', async ({
  world,
  telegram,
  chat,
  alice,
  backUp,
}) => {
  const old = await telegram.ok('sendMessage', { chat_id: chat, text: 'old' })
  const first = await backUp('second', 'third')
  const given: number[] = [old['message_id']]
  for (const text of ['1', '2', '3'])
    given.push((await first.ok('sendMessage', { chat_id: chat, text }))['message_id'] as number)
  await alice.say(first.toBot, 'hers')
  given.push((await first.next('message'))['message_id'] as number)
  let last = first
  for (const directory of ['second', 'third']) {
    await world.closeGateway(last.gateway)
    last = await openIn(world, directory)
    const number = await numberOfNext(last, chat)
    // As many as the updates that can wait in the backup, and what those answer, would get.
    expect(number).toBeGreaterThan(Math.max(...given) + 2 * gatewayLimits.updatesKeptMax)
    expect(number).toBeLessThan(gatewayLimits.telegramNumberMax)
    given.push(number)
    expect((await last.ok('sendMessage', { chat_id: chat, text: 'next' }))['message_id']).toBe(number + 1)
    given.push(number + 1)
    const text = `edited in the ${directory} life`
    await last.ok('editMessageText', { chat_id: chat, message_id: old['message_id'], text })
    await alice.next('edited', event => event.message.text === text)
  }
  expect(new Set(given).size).toBe(given.length)
})

test('[TELEGRAM-4.6] a restored gateway gives no number before the relay has told that it was restored', async ({
  world,
  telegram,
  chat,
  alice,
  clock,
  backUp,
}) => {
  await alice.say(telegram.toBot, 'waiting')
  await expect.poll(async () => (await telegram.ok('getWebhookInfo'))['pending_update_count'], SOON).toBeGreaterThan(0)
  const first = await backUp('restored')
  const noted = (await first.ok('sendMessage', { chat_id: chat, text: 'since the backup' }))['message_id'] as number
  await world.closeGateway(first.gateway)
  await world.stopRelay()
  const restored = await openIn(world, 'restored', clock)
  expect(await passTime(clock, restored.call('getUpdates', { offset: 0 }))).toEqual(refused(/^Bad Gateway/, 502))
  await world.startRelay()
  await passTime(clock, restored.gateway.client.whenOnline({ timeoutMs: 1_000_000_000 }))
  let number = 0
  for (;;) {
    const shown = await restored.next('message')
    if (shown['text'] !== 'waiting') continue
    number = shown['message_id'] as number
    break
  }
  expect(number).toBeGreaterThan(noted)
})

test('[TELEGRAM-4.5] numbers continue behind the earlier ones also without the database', async ({
  world,
  alice,
  bot,
  clock,
}) => {
  const before = await numberIn(new MessageNumbers(bot.client, clock), alice.chatId, 'a')
  await bot.say(alice, 'so that the relay knows of it')
  const restore = bot.client.identity.recovery()
  await world.close(bot)
  rmSync(bot.directory, { recursive: true })
  const again = await world.person('bot', { restore, bot: true })
  const number = await numberIn(new MessageNumbers(again.client, clock), alice.chatId, 'b')
  expect(number).toBeGreaterThan(before + 2 * gatewayLimits.updatesKeptMax)
})

test('[TELEGRAM-4.5] lives that were restored together with the relay give different numbers', async ({
  world,
  alice,
  bot,
  clock,
}) => {
  const given = [await numberIn(new MessageNumbers(bot.client, clock), alice.chatId, 'old')]
  let last = await world.backUp(bot)
  await world.backUpRelay()
  for (const life of ['first', 'second', 'third']) {
    await world.putBack(last)
    await world.restoreRelay()
    last = await world.person('bot', { bot: true })
    const numbers = new MessageNumbers(last.client, clock)
    for (const id of ['a', 'b', 'c']) given.push(await numberIn(numbers, alice.chatId, `${life} ${id}`))
    expect(await numberIn(numbers, alice.chatId, 'old')).toBe(given[0])
    clock.leap(3_600_000)
  }
  expect(new Set(given).size).toBe(given.length)
  expect(Math.max(...given)).toBeLessThan(gatewayLimits.telegramNumberMax)
})

test('[TELEGRAM-2.7] a kill right after the answer of a poll does not bring back what the poll confirmed', async ({
  world,
  alice,
  clock,
}) => {
  // Its clock stands still: nothing is written because time passes.
  const telegram = await telegramOf(world, alice, clock)
  await alice.say(telegram.toBot, 'confirmed')
  const confirmed = await lastUpdate(telegram)
  await alice.say(telegram.toBot, 'with a new number')
  await expect.poll(() => telegram.gateway.client.journal.newest(), SOON).toBeGreaterThan(confirmed)
  const [next] = (await telegram.ok('getUpdates', { offset: confirmed + 1 })) as Shown[]
  copyGateway(world, 'after a page')
  await telegram.ok('getUpdates', { offset: next?.['update_id'] + 1 })
  copyGateway(world, 'after an empty page')
  await world.closeGateway(telegram.gateway)
  const textsIn = async (directory: string) => {
    const killed = await openIn(world, directory)
    await killed.gateway.client.whenOnline(WITHIN)
    const updates = (await killed.ok('getUpdates')) as Shown[]
    await world.closeGateway(killed.gateway)
    return updates.map(update => update['message']?.text)
  }
  expect(await textsIn('after a page')).toEqual(['with a new number'])
  expect(await textsIn('after an empty page')).toEqual([])
})

const copyGateway = (world: World, directory: string): void =>
  cpSync(join(world.directory, 'gateway'), join(world.directory, directory), { recursive: true })

/** The id of the last update, once there is a message. Confirms nothing. */
async function lastUpdate(telegram: Telegram): Promise<number> {
  let updates: Shown[] = []
  while (!updates.some(update => update['message'])) updates = (await telegram.ok('getUpdates')) as Shown[]
  return updates.at(-1)?.['update_id'] as number
}
