// A relay that answers late, over a connection that stays: what came after a message in doubt is read after it.
import { isCoded, type MessageId } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { ManualClock, type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const soon = { deadlineMs: 300 }
const buttons = [[{ text: 'Yes', data: 'yes' }]]

let world: World
let bot: Person
let bob: Person
/** The bot's: it gives nothing up before bob has done something about it. */
let clock: ManualClock

beforeEach(async () => {
  world = await World.start()
  clock = new ManualClock(Date.now())
  bot = await world.person('bot', { bot: true, clock })
  bob = await world.person('bob')
  await bob.openInvite(bot.client.me().inviteUrl)
  await bot.next('chat')
  await bot.say(bob, 'first')
  await bob.hears('first')
})
afterEach(async () => {
  await world.stop()
})

/** Entries for everybody that the relay has sent to the bot, and that have not arrived there. */
const heldMessages = (): number =>
  bot.wire.held
    .map(frame => decodeRelayFrame(frame))
    .flatMap(frame => (frame.kind === 'deliver' ? frame.entries : []))
    .filter(entry => entry.kind === 'message').length

/** The relay's answer comes when its caller has given up, and together with all that bob has done meanwhile. */
async function answeredLate(say: () => Promise<unknown>, bobDoes: () => Promise<unknown>): Promise<void> {
  bot.wire.hold()
  const failed = say().catch((error: unknown) => error)
  await bobDoes()
  const before = heldMessages()
  await bob.say(bot, 'and now you')
  await expect.poll(heldMessages).toBeGreaterThan(before)
  clock.advance(soon.deadlineMs)
  expect(await failed).toSatisfy(error => isCoded(error, 'send-in-doubt'))
  bot.wire.release()
  await bot.hears('and now you')
}

test('[CORE-4.4] a reaction to a message in doubt is seen by who said it', async () => {
  const say = () => bot.client.sendText(bob.chatId, { text: 'late' }, soon)
  await answeredLate(say, async () => {
    const message = (await bob.hears('late')).id as MessageId
    await bob.client.react(bot.chatId, { message, emoji: '👍' }, WITHIN)
  })
  const late = bot.client.messages(bob.chatId, { limit: 2 })[0]
  expect(late).toMatchObject({ text: 'late', reactions: [{ emoji: '👍' }] })
})

test('[CORE-4.4] a vote in a poll in doubt counts on both sides', async () => {
  const poll = { question: 'late?', options: ['a', 'b'], multiple: false }
  await answeredLate(
    () => bot.client.sendPoll(bob.chatId, poll, soon),
    async () => {
      const { message } = await bob.next('message', event => event.message.poll !== undefined)
      await bob.client.vote(bot.chatId, { message: message.id as MessageId, options: [1] }, WITHIN)
    },
  )
  const [asked] = bot.client.messages(bob.chatId, { limit: 2 })
  expect(asked?.poll?.options.map(option => option.votes)).toEqual([0, 1])
})

test('[CORE-4.4, CORE-6.8] a press of a button that was offered in doubt is heard', async () => {
  const say = () => bot.client.sendText(bob.chatId, { text: 'late', buttons }, soon)
  let press = ''
  await answeredLate(say, async () => {
    const message = (await bob.hears('late')).id as MessageId
    press = await bob.client.press(bot.chatId, { message, data: 'yes' }, WITHIN)
  })
  const heard = bot.client.journal.read(0, 1000).filter(({ json }) => json.includes(press))
  expect(heard).toHaveLength(1)
})
