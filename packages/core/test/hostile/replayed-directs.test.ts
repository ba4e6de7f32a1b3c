// A relay that sends again what was sealed to one member: a press, a toast and a receipt are taken once.
import type { ChatId, MessageId } from '@postern/protocol'
import { HostileRelay, ManualClock, type Person, passTime, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const DAY_MS = 24 * 3600 * 1000

let world: World
let clock: ManualClock
let bot: Person
let alice: Person
let relay: HostileRelay
let chat: ChatId

beforeEach(async () => {
  world = await World.start()
  clock = new ManualClock(Date.now())
  bot = await world.person('bot', { bot: true, clock })
  alice = await world.person('alice')
  await alice.openInvite(bot.client.me().inviteUrl)
  chat = alice.chatId
  await bot.next('chat')
  relay = new HostileRelay(bot.wire)
})
afterEach(() => world.stop())

async function pressed(): Promise<void> {
  const buttons = [[{ text: 'Yes', data: 'yes' }]]
  const { id } = await bot.client.sendText(chat, { text: 'Well?', buttons }, WITHIN)
  await alice.hears('Well?')
  await alice.client.press(bot.chatId, { message: id as MessageId, data: 'yes' }, WITHIN)
  await bot.next('button')
}

/** As new entries, at the end of the mailbox, at whatever time. */
async function replay(ts: number): Promise<void> {
  const again = relay.delivered.filter(entry => entry.kind === 'direct')
  expect(again.length).toBeGreaterThan(0)
  const entries = again.map((entry, at) => ({ ...entry, ts, cursor: relay.shown + 1 + at }))
  relay.say({ kind: 'deliver', entries })
  await expect.poll(() => relay.delivered.length).toBeGreaterThan(0)
}

const countOf = (person: Person, type: string): number =>
  person.client.journal.read(0, 1000).filter(({ json }) => (JSON.parse(json) as { type: string }).type === type).length

/** What comes behind the replays has been read: so they have, too. */
async function expectOnePress(): Promise<void> {
  relay.repent()
  await alice.say(bot, 'a mark')
  await expect.poll(() => bot.texts(chat)).toContain('a mark')
  expect(countOf(bot, 'button')).toBe(1)
}

test.each([
  ['at once', () => Date.now()],
  ['as of long ago', () => 0],
  ['as of a far future', () => Number.MAX_SAFE_INTEGER],
])('[CORE-14.9] a press that comes again %s is no second press', async (_when, ts) => {
  await pressed()
  for (let round = 0; round < 4; round++) await replay(ts())
  // The cursors that it made up are nothing that the real relay has.
  bot.wire.drop()
  await passTime(clock, bot.online())
  await expectOnePress()
})

test('[CORE-14.9] not after days either, nor after a restart', async () => {
  await pressed()
  const again = relay.delivered.filter(entry => entry.kind === 'direct')
  clock.leap(3 * DAY_MS)
  await passTime(clock, bot.online())
  await alice.say(bot, 'days later')
  await expect.poll(() => bot.texts(chat)).toContain('days later')
  await world.close(bot)
  bot = await world.person('bot', { bot: true, clock })
  relay = new HostileRelay(bot.wire)
  await alice.say(bot, 'after the restart')
  await expect.poll(() => bot.texts(chat)).toContain('after the restart')
  const entries = again.map((entry, at) => ({ ...entry, cursor: relay.shown + 1 + at }))
  relay.say({ kind: 'deliver', entries })
  bot.wire.drop()
  await passTime(clock, bot.online())
  await expectOnePress()
})

test('[CORE-14.9] what was sealed before a renewal of the keys is not taken after it either', async () => {
  await pressed()
  await alice.client.setTimer(bot.chatId, 3_600_000, WITHIN)
  await bot.next('notice', event => event.notice.code === 'timer')
  await replay(Date.now())
  bot.wire.drop()
  await passTime(clock, bot.online())
  await expectOnePress()
})
