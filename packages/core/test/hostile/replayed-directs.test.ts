// A relay that replays what was sealed to one member: a press, a toast and a receipt are accepted once.
import { HostileRelay, passTime, type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const DAY_MS = 24 * 3600 * 1000

const countOf = (person: TestPerson, type: string): number =>
  person.client.journal.read(0, 1000).filter(({ json }) => (JSON.parse(json) as { type: string }).type === type).length

const test = base
  .extend('bot', ({ clock, world }) => world.person('bot', { bot: true, clock }))
  .extend('chat', ({ alice }) => alice.chatId)
  .extend('relay', ({ bot }) => new HostileRelay(bot.wire))
  .extend('pressed', ({ alice, bot, chat }) => async (): Promise<void> => {
    const buttons = [[{ text: 'Yes', data: 'yes' }]]
    const { id } = await bot.client.messages.sendText(chat, { text: 'Well?', buttons }, WITHIN)
    await alice.hears('Well?')
    await expect.poll(() => alice.client.identity.profileOf(bot.id).bot).toBe(true)
    await alice.client.messages.press(bot.chatId, { message: id, data: 'yes' }, WITHIN)
    await bot.next('button')
  })
  /** As new entries, at the end of the mailbox, at any time. */
  .extend('replay', ({ relay }) => async (ts: number): Promise<void> => {
    const again = relay.delivered.filter(entry => entry.kind === 'direct')
    expect(again.length).toBeGreaterThan(0)
    const entries = again.map((entry, at) => ({ ...entry, ts, cursor: relay.shown + 1 + at }))
    relay.say({ kind: 'deliver', entries })
    await expect.poll(() => relay.delivered.length).toBeGreaterThan(0)
  })
  /** An entry after the replays has been read, so they have been, too. */
  .extend(
    'expectOnePress',
    ({ alice, bot, relay, chat }) =>
      async (by: { bot: TestPerson; relay: HostileRelay } = { bot, relay }): Promise<void> => {
        by.relay.repent()
        await alice.say(by.bot, 'a mark')
        await expect.poll(() => by.bot.texts(chat)).toContain('a mark')
        expect(countOf(by.bot, 'button')).toBe(1)
      },
  )

test.beforeEach(async ({ alice, bot }) => {
  await alice.openInvite(bot.client.identity.me().inviteUrl)
  await bot.next('chat')
})

const times: [string, () => number][] = [
  ['at once', () => Date.now()],
  ['as of long ago', () => 0],
  ['as of a far future', () => Number.MAX_SAFE_INTEGER],
]

test.for(times)(
  '[CORE-14.9] a press that comes again %s is no second press',
  async ([_when, ts], { clock, bot, pressed, replay, expectOnePress }) => {
    await pressed()
    for (let round = 0; round < 4; round++) await replay(ts())
    // The real relay does not have the cursors that it made up.
    bot.wire.drop()
    await passTime(clock, bot.online())
    await expectOnePress()
  },
)

test('[CORE-14.9] not after days either, nor after a restart', async ({
  clock,
  world,
  alice,
  bot,
  pressed,
  relay,
  chat,
  expectOnePress,
}) => {
  await pressed()
  const again = relay.delivered.filter(entry => entry.kind === 'direct')
  clock.leap(3 * DAY_MS)
  await passTime(clock, bot.online())
  await alice.say(bot, 'days later')
  await expect.poll(() => bot.texts(chat)).toContain('days later')
  await world.close(bot)
  const restarted = await world.person('bot', { bot: true, clock })
  const newRelay = new HostileRelay(restarted.wire)
  await alice.say(restarted, 'after the restart')
  await expect.poll(() => restarted.texts(chat)).toContain('after the restart')
  const entries = again.map((entry, at) => ({ ...entry, cursor: newRelay.shown + 1 + at }))
  newRelay.say({ kind: 'deliver', entries })
  restarted.wire.drop()
  await passTime(clock, restarted.online())
  await expectOnePress({ bot: restarted, relay: newRelay })
})

test('[CORE-14.9] what was sealed before a renewal of the keys is not taken after it either', async ({
  clock,
  alice,
  bot,
  pressed,
  replay,
  expectOnePress,
}) => {
  await pressed()
  await alice.client.chats.setTimer(bot.chatId, 3_600_000, WITHIN)
  await bot.next('notice', event => event.notice.code === 'timer')
  await replay(Date.now())
  bot.wire.drop()
  await passTime(clock, bot.online())
  await expectOnePress()
})
