// Text that is refused before anything is sent, with the field and the rule: the others would see something else.
import { chatIdOf } from '@postern/bot-api'
import { type PressId, utf8 } from '@postern/protocol'
import type { Mention } from '@postern/protocol/content'
import { WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

/** A person whom nobody has met: a refused message must not open a chat either. */
const nobody = chatIdOf('b'.repeat(32))
const refused = (field: string, rule: RegExp) => ({
  code: 'bad-field',
  details: { field, rule: expect.stringMatching(rule) },
})

async function* bytes() {
  yield utf8('a file')
}

const test = base
  .extend('alice', { scope: 'file' }, ({ world }) => world.person('alice'))
  .extend('bot', { scope: 'file' }, ({ world }) => world.person('bot', { bot: true }))
  .extend(
    'mention',
    ({ alice }) =>
      (offset: number, length: number): Mention => ({ user: alice.id, offset, length }),
  )

describe('[CORE-18.6] mentions are refused', () => {
  test.for([
    ['inside of a character', [[1, 1]], /must begin and end between characters/, 0],
    ['that end inside of one', [[0, 1]], /must begin and end between characters/, 0],
    [
      'that overlap',
      [
        [0, 2],
        [3, 3],
        [5, 2],
      ],
      /overlap/,
      2,
    ],
    [
      'out of order',
      [
        [3, 3],
        [0, 2],
      ],
      /order/,
      1,
    ],
    ['beyond the end', [[3, 30]], /must end within the text/, 0],
  ] as const)('%s, in a text, a caption and an edit', async ([, spans, rule, at], { alice, bot, mention }) => {
    const mentions = spans.map(([offset = 0, length = 0]) => mention(offset, length))
    const fault = refused(`mentions[${at}]`, rule)
    const text = '👍 bob, carol'
    await expect(alice.client.messages.sendText(nobody, { text, mentions }, WITHIN)).rejects.toMatchObject(fault)
    const { id } = await alice.say(bot, 'as it is')
    const edit = { message: id, text, mentions }
    await expect(alice.client.messages.edit(bot.chatId, edit, WITHIN)).rejects.toMatchObject(fault)
    const draft = await alice.client.files.draft(bytes())
    const file = { draft, name: 'a.txt', type: 'text/plain', kind: 'file' as const, text, mentions }
    await expect(alice.client.files.send(nobody, file, WITHIN)).rejects.toMatchObject(fault)
    await draft.discard()
    expect(alice.client.messages.get(bot.chatId, id).text).toBe('as it is')
  })

  test('whole characters in their order are not, whoever they name', async ({ alice, bot, mention }) => {
    const stranger = { ...mention(3, 3), user: 'b'.repeat(32) as Mention['user'] }
    const mentions = [mention(0, 2), stranger, mention(6, 1)]
    await alice.client.messages.sendText(bot.chatId, { text: '👍 bob, carol', mentions }, WITHIN)
    expect((await bot.hears('👍 bob, carol')).mentions).toEqual(mentions)
  })
})

const names: [what: string, name: string, rule: RegExp][] = [
  ['a line break', 'a\nb', /line breaks/],
  ['another line end', 'a\u2028b', /line breaks/],
  ['NUL', 'a\u0000b', /control characters/],
  ['an escape of terminals', '\u001b[31mred', /control characters/],
  ['an override', 'a\u202eb', /direction of text/],
  ['an isolate', 'a\u2066b', /direction of text/],
  ['half of a surrogate pair', 'a\ud800', /half of a surrogate pair/],
  ['nothing that is seen', '\u200b\u2060 \u3164', /must not be blank/],
]

describe('[CORE-18.7] a name is refused', () => {
  test.for(names)(
    'that holds %s: of an account, of a group, of an option, of a button',
    async ([, name, rule], { alice, bot }) => {
      const fault = refused('name', rule)
      await expect(alice.client.identity.setProfile({ name })).rejects.toMatchObject(fault)
      const commands = [{ name: 'go', description: `a${name}` }]
      if (!rule.test('must not be blank'))
        await expect(bot.client.identity.setProfile({ commands })).rejects.toMatchObject(refused('commands', rule))
      await expect(alice.client.chats.createGroup({ name, members: [bot.id] }, WITHIN)).rejects.toMatchObject(fault)
      const { id } = await alice.client.chats.createGroup({ name: 'fine', members: [] }, WITHIN)
      await expect(alice.client.chats.renameGroup(id, name, WITHIN)).rejects.toMatchObject(fault)
      const poll = { question: 'x', options: ['a', name], multiple: false }
      await expect(alice.client.messages.sendPoll(nobody, poll, WITHIN)).rejects.toMatchObject(
        refused('options[1]', rule),
      )
      const buttons = [[{ text: name, data: 'x' }]]
      await expect(bot.client.messages.sendText(nobody, { text: 'x', buttons }, WITHIN)).rejects.toMatchObject(
        refused('buttons', rule),
      )
      expect(alice.client.identity.me().name).toBe('alice')
      expect(alice.client.chats.get(id).name).toBe('fine')
    },
  )

  test('at the first start, too', async ({ world }) => {
    await expect(world.person('mal\nlory')).rejects.toMatchObject(refused('name', /line breaks/))
  })

  test('and not where it is written from right to left', async ({ alice }) => {
    for (const name of ['דני\u200f (bot)', 'سارة', 'Zoë 👩‍👩‍👧‍👦', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'])
      await alice.client.identity.setProfile({ name })
    await alice.client.identity.setProfile({ name: 'alice' })
  })
})

test('[CORE-18.8] half of a surrogate pair is refused before anything leaves', async ({ alice, bot }) => {
  const half = 'a\ud800'
  const rule = /half of a surrogate pair/
  const fault = refused('text', rule)
  await expect(alice.client.identity.setProfile({ about: half })).rejects.toMatchObject(refused('about', rule))
  await expect(alice.client.messages.sendText(nobody, { text: half }, WITHIN)).rejects.toMatchObject(fault)
  const { id } = await alice.say(bot, 'whole')
  const edit = { message: id, text: half }
  await expect(alice.client.messages.edit(bot.chatId, edit, WITHIN)).rejects.toMatchObject(fault)
  const poll = { question: half, options: ['a', 'b'], multiple: false }
  await expect(alice.client.messages.sendPoll(nobody, poll, WITHIN)).rejects.toMatchObject(refused('question', rule))
  const asked = await bot.client.messages.sendText(
    alice.chatId,
    { text: 'press', buttons: [[{ text: 'x', data: 'x' }]] },
    WITHIN,
  )
  await alice.hears('press')
  await alice.client.identity.learnProfile(bot.id, WITHIN)
  const press: PressId = await alice.client.messages.press(bot.chatId, { message: asked.id, data: 'x' }, WITHIN)
  await bot.next('button')
  await expect(bot.client.messages.answerPress(press, half, WITHIN)).rejects.toMatchObject(fault)
  await bot.client.messages.answerPress(press, 'whole', WITHIN)
})
