// A text that the bot is still writing, as the person in the chat sees it.
import { expect } from 'vitest'
import { chatWith, refused, telegramOf, test as withTelegram } from './telegram.ts'

/** All clocks are one, and it stands still: on a busy machine, a draft would be over before it is shown. */
const test = withTelegram
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('alice', ({ world, clock }) => world.person('alice', { clock }))
  .extend('timed', ({ world, alice, clock }) => telegramOf(world, alice, clock))

test('[TELEGRAM-7.9] sendMessageDraft shows the text so far with its formatting, until the message comes', async ({
  alice,
  timed: telegram,
}) => {
  const chat = await chatWith(telegram, alice)
  const shown = () => alice.client.typing.drafts(telegram.toBot).map(({ text, entities }) => ({ text, entities }))
  const draft = { chat_id: chat, draft_id: 7, text: '<b>It is</b> *going*', parse_mode: 'HTML' }
  expect(await telegram.ok('sendMessageDraft', draft)).toBe(true)
  await expect.poll(shown).toEqual([{ text: 'It is *going*', entities: [{ type: 'bold', offset: 0, length: 5 }] }])
  await telegram.ok('sendMessage', { chat_id: chat, text: 'It is done.' })
  await alice.hears('It is done.')
  expect(shown()).toEqual([])
})

test('[TELEGRAM-7.9] an empty draft is shown as typing, and one without a number or with too long a text is refused', async ({
  alice,
  timed: telegram,
}) => {
  const chat = await chatWith(telegram, alice)
  expect(await telegram.ok('sendMessageDraft', { chat_id: chat, draft_id: 1 })).toBe(true)
  await expect.poll(() => alice.client.typing.now()).toHaveLength(1)
  const send = async (fields: object) =>
    await telegram.call('sendMessageDraft', { chat_id: chat, text: 'x', ...fields })
  expect(await send({})).toEqual(refused('Bad Request: draft_id is not specified'))
  expect(await send({ draft_id: 0 })).toEqual(refused('Bad Request: draft_id must be non-zero'))
  expect(await send({ draft_id: 1, text: 'x'.repeat(5000) })).toEqual(refused(/message is too long/))
  expect(await send({ draft_id: 1, chat_id: 5 })).toEqual(refused('Bad Request: chat not found'))
})

test('[TELEGRAM-7.9] a long draft whose marks would make it too long is shown without them', async ({
  alice,
  timed: telegram,
}) => {
  const chat = await chatWith(telegram, alice)
  const text = '[]'.repeat(2040)
  const entities = [{ type: 'bold', offset: 0, length: 4 }]
  await telegram.ok('sendMessageDraft', { chat_id: chat, draft_id: 1, text, entities })
  const shown = () => alice.client.typing.drafts(telegram.toBot)
  await expect.poll(shown).toMatchObject([{ text: expect.stringMatching(/\[\]$/) }])
  expect(shown()[0]).not.toHaveProperty('entities')
})
