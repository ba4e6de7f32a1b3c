// A relay that answers late, over a connection that stays: entries after a message in doubt are read after it.
import { isCoded, silentLog } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { passTime, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { mend, refuseCalls } from './lossy-wire.ts'

const soon = { timeoutMs: 300 }
const buttons = [[{ text: 'Yes', data: 'yes' }]]

const test = base
  /** The warnings in the log of the bot. */
  .extend('warnings', (): string[] => [])
  .extend('bot', ({ clock, world, warnings }) => {
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text) }
    return world.person('bot', { bot: true, clock, log })
  })
  /** Entries for everyone that the relay has sent to the bot, and that have not arrived there. */
  .extend(
    'heldMessages',
    ({ bot }) =>
      (): number =>
        bot.wire.held
          .map(frame => decodeRelayFrame(frame))
          .flatMap(frame => (frame.kind === 'deliver' ? frame.entries : []))
          .filter(entry => entry.kind === 'message').length,
  )
  /** The relay's answer comes when its caller has given up, together with everything that bob has done meanwhile. */
  .extend(
    'answeredLate',
    ({ clock, bob, bot, heldMessages }) =>
      async (say: () => Promise<unknown>, bobDoes: () => Promise<unknown>): Promise<void> => {
        bot.wire.hold()
        const failed = say().catch((error: unknown) => error)
        await bobDoes()
        const before = heldMessages()
        await bob.say(bot, 'and now you')
        await expect.poll(heldMessages).toBeGreaterThan(before)
        clock.advance(soon.timeoutMs)
        expect(await failed).toSatisfy(error => isCoded(error, 'send-in-doubt'))
        bot.wire.release()
        await bot.hears('and now you')
      },
  )

test.beforeEach(async ({ bob, bot }) => {
  await bob.openInvite(bot.client.identity.me().inviteUrl)
  await bot.next('chat')
  await bot.say(bob, 'first')
  await bob.hears('first')
})

test('[CORE-4.4] a reaction to a message in doubt is seen by who said it', async ({ bob, bot, answeredLate }) => {
  const say = () => bot.client.messages.sendText(bob.chatId, { text: 'late' }, soon)
  await answeredLate(say, async () => {
    const message = (await bob.hears('late')).id
    await bob.client.messages.react(bot.chatId, { message, emoji: '👍' }, WITHIN)
  })
  const late = bot.client.messages.list(bob.chatId, { limit: 2 })[0]
  expect(late).toMatchObject({ text: 'late', reactions: [{ emoji: '👍' }] })
})

test('[CORE-4.4] a vote in a poll in doubt counts on both sides', async ({ bob, bot, answeredLate }) => {
  const poll = { question: 'late?', options: ['a', 'b'], multiple: false }
  await answeredLate(
    () => bot.client.messages.sendPoll(bob.chatId, poll, soon),
    async () => {
      const { message } = await bob.next('message', event => event.message.poll !== undefined)
      await bob.client.messages.vote(bot.chatId, { message: message.id, options: [1] }, WITHIN)
    },
  )
  const [asked] = bot.client.messages.list(bob.chatId, { limit: 2 })
  expect(asked?.poll?.options.map(option => option.votes)).toEqual([0, 1])
})

test('[CORE-4.4, CORE-6.8] a press of a button that was offered in doubt is heard', async ({
  bob,
  bot,
  answeredLate,
}) => {
  const say = () => bot.client.messages.sendText(bob.chatId, { text: 'late', buttons }, soon)
  let press = ''
  await answeredLate(say, async () => {
    const message = (await bob.hears('late')).id
    press = await bob.client.messages.press(bot.chatId, { message, data: 'yes' }, WITHIN)
  })
  const heard = bot.client.journal.read(0, 1000).filter(({ json }) => json.includes(press))
  expect(heard).toHaveLength(1)
})

test('[CORE-4.4] while the relay cannot say what became of a message, nothing behind it is read', async ({
  bob,
  bot,
  clock,
  heldMessages,
  warnings,
}) => {
  bot.wire.hold()
  const failed = bot.client.messages.sendText(bob.chatId, { text: 'late' }, soon).catch((error: unknown) => error)
  await bob.hears('late')
  const before = heldMessages()
  await bob.client.chats.setTimer(bot.chatId, 60_000, WITHIN)
  await bob.say(bot, 'in new keys')
  await expect.poll(heldMessages).toBeGreaterThan(before)
  clock.advance(soon.timeoutMs)
  expect(await failed).toSatisfy(error => isCoded(error, 'send-in-doubt'))
  refuseCalls(bot, 'unavailable', 'outcome')
  let delivered = 0
  bot.wire.incoming = frame => {
    if (decodeRelayFrame(frame).kind === 'deliver') delivered++
    return [frame]
  }
  bot.wire.release()
  // A chore may ask for the same outcome, and be refused as well.
  const ofReading = () => warnings.filter(text => text !== 'chore failed')
  await expect.poll(ofReading).toHaveLength(1)
  const soFar = delivered
  await bob.say(bot, 'behind it')
  await expect.poll(() => delivered).toBeGreaterThan(soFar)
  mend(bot)
  await passTime(clock, bot.hears('behind it'))
  expect(ofReading()).toEqual(['message outcome unknown; reading continues when the relay answers'])
  expect(bot.texts(bob)).toEqual(['first', 'late', 'in new keys', 'behind it'])
})
