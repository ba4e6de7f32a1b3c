// Each rule for texts that people write, at its limit and past it:
// the HTTP API, the core and the content of messages agree.
import { botChange, botCommands, chatIdOf, newGroup, newPoll, newReaction, textMessage } from '@postern/bot-api'
import { contentLimits, isCoded, type MessageId, type TextEntity, utf8 } from '@postern/protocol'
import { type Button, decodeContent, decodeGroupSettings, profile } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

/** A bot that has written to alice. */
type Talk = { bot: TestPerson; alice: TestPerson; said: MessageId }

const test = testInOneWorld.extend('talk', { scope: 'file' }, async ({ world }): Promise<Talk> => {
  const bot = await world.person('bot', { bot: true })
  const alice = await world.person('alice')
  return { bot, alice, said: (await bot.say(alice, 'words')).id }
})

/** A value that keeps the rules fails all the same, by another error: there is no such account. */
const nobody = chatIdOf('b'.repeat(32))
const limits = contentLimits

/** `unsightly`: no sender of ours writes it; in another account's message it is accepted, and cleaned or ignored. */
type Verdict = 'kept' | 'refused' | 'unsightly'
type Case<Value> = [what: string, value: Value, verdict: Verdict]
type Parsed = { error?: { issues: { message: string }[] } | undefined }
type Rule<Value> = {
  /** Only if the API has such a field. */
  api?: (value: Value, talk: Talk) => Parsed
  core: (value: Value, talk: Talk) => Promise<unknown>
  /** Whether a receiver accepts it. */
  content: (value: Value, talk: Talk) => boolean
  values: Case<Value>[]
}

const isContent = (body: object): boolean =>
  decodeContent(utf8(JSON.stringify({ v: 1, send: 'a'.repeat(26), profileVersion: 1, body }))) !== undefined

/** The sentence of the broken rule. */
const brokenRule = async (sending: Promise<unknown>): Promise<unknown> =>
  await sending.then(
    () => undefined,
    (error: unknown) => (isCoded(error, 'bad-field') ? error.details['rule'] : undefined),
  )

function check<Value>(name: string, { api, core, content, values }: Rule<Value>): void {
  test.for(values)(`[BOTAPI-2.1] ${name}: %s`, async ([, value, verdict], { talk }) => {
    const rule = await brokenRule(core(value, talk))
    expect(rule !== undefined, `core says: ${String(rule)}`).toBe(verdict !== 'kept')
    if (api) expect(api(value, talk).error?.issues[0]?.message, 'the API says the same').toBe(rule)
    expect(content(value, talk), 'a receiver takes it').toBe(verdict !== 'refused')
  })
}

/** As many as are allowed, and one more. */
const upTo = <Value>(max: number, of: (count: number) => Value): Case<Value>[] => [
  [`${max}`, of(max), 'kept'],
  [`${max + 1}`, of(max + 1), 'refused'],
]
const letters = (count: number) => 'x'.repeat(count)
const emojis = (count: number) => '👍'.repeat(count)
const times = <One>(count: number, one: One): One[] => Array.from({ length: count }, () => one)
const nothing: Case<string> = ['nothing', '', 'refused']
const half: Case<string> = ['half of a surrogate pair', 'a\ud800', 'unsightly']
const unseen: Case<string> = ['nothing that is seen', '\u200b \u3164', 'unsightly']
const turning: Case<string>[] = [
  half,
  ['two lines', 'a\nb', 'unsightly'],
  ['a sign that turns the writing round', 'a\u202eb', 'unsightly'],
]

describe('[BOTAPI-2.1, BOTAPI-2.2] the same verdict on', () => {
  check('a text', {
    api: text => textMessage.safeParse({ text }),
    core: (text, { bot }) => bot.client.messages.sendText(nobody, { text }, WITHIN),
    content: text => isContent({ kind: 'text', text }),
    values: [nothing, ...upTo(limits.textCharsMax, letters), ...upTo(limits.textCharsMax, emojis), half],
  })

  const mentionsIn = (count: number) => Array.from({ length: count }, (_, offset) => ({ offset, length: 1 }))
  const named = (spans: { offset: number; length: number }[], { alice }: Talk) =>
    spans.map(span => ({ user: alice.id, ...span }))
  check('mentions', {
    api: (spans, talk) => textMessage.safeParse({ text: letters(200), mentions: named(spans, talk) }),
    core: (spans, talk) =>
      talk.bot.client.messages.sendText(nobody, { text: letters(200), mentions: named(spans, talk) }, WITHIN),
    content: (spans, talk) => isContent({ kind: 'text', text: letters(200), mentions: named(spans, talk) }),
    values: [
      ...upTo(limits.mentionsMax, mentionsIn),
      ['beyond the end', [{ offset: 200, length: 1 }], 'unsightly'],
      [
        'one over the other',
        [
          { offset: 0, length: 2 },
          { offset: 1, length: 2 },
        ],
        'unsightly',
      ],
    ],
  })

  const bold = (offset: number, length: number): TextEntity => ({ type: 'bold', offset, length })
  check<TextEntity[]>('entities', {
    api: entities => textMessage.safeParse({ text: letters(400), entities }),
    core: (entities, { bot }) => bot.client.messages.sendText(nobody, { text: letters(400), entities }, WITHIN),
    content: entities => isContent({ kind: 'text', text: letters(400), entities }),
    values: [
      [`${limits.entitiesMax}`, Array.from({ length: limits.entitiesMax }, (_, at) => bold(at, 1)), 'kept'],
      [
        `${limits.entitiesMax + 1}`,
        Array.from({ length: limits.entitiesMax + 1 }, (_, at) => bold(at, 1)),
        'unsightly',
      ],
      ['one inside of the other', [{ type: 'italic', offset: 1, length: 1 }, bold(0, 2)], 'kept'],
      ['beyond the end', [bold(400, 1)], 'unsightly'],
      ['one over the other', [bold(0, 2), { type: 'italic', offset: 1, length: 2 }], 'unsightly'],
      ['twice the same', [bold(0, 2), bold(0, 2)], 'unsightly'],
      ['a link to nowhere', [{ type: 'link', offset: 0, length: 1 }], 'unsightly'],
    ],
  })

  const poll = { question: 'Tea?', options: ['yes', 'no'], multiple: false }
  const polls = <Value>(asked: (value: Value) => typeof poll): Omit<Rule<Value>, 'values'> => ({
    api: value => newPoll.safeParse(asked(value)),
    core: (value, { bot }) => bot.client.messages.sendPoll(nobody, asked(value), WITHIN),
    content: value => isContent({ kind: 'poll', ...asked(value) }),
  })
  check('a question', {
    ...polls<string>(question => ({ ...poll, question })),
    values: [nothing, ...upTo(limits.pollQuestionCharsMax, emojis), ['two lines', 'a\nb', 'kept'], half, unseen],
  })
  check('an option', {
    ...polls<string>(option => ({ ...poll, options: ['yes', option] })),
    values: [nothing, ...upTo(limits.pollOptionCharsMax, emojis), ...turning, unseen],
  })
  check('options', {
    ...polls<string[]>(options => ({ ...poll, options })),
    values: [
      [`${limits.pollOptionsMin - 1}`, times(limits.pollOptionsMin - 1, 'a'), 'refused'],
      [`${limits.pollOptionsMin}`, times(limits.pollOptionsMin, 'a'), 'kept'],
      ...upTo(limits.pollOptionsMax, count => times(count, 'a')),
    ],
  })

  const buttons = <Value>(offered: (value: Value) => Button[][]): Omit<Rule<Value>, 'values'> => ({
    api: value => textMessage.safeParse({ text: 'x', buttons: offered(value) }),
    core: (value, { bot }) => bot.client.messages.sendText(nobody, { text: 'x', buttons: offered(value) }, WITHIN),
    content: value => isContent({ kind: 'text', text: 'x', buttons: offered(value) }),
  })
  const button = { text: 'x', data: 'x' }
  check('the label of a button', {
    ...buttons<string>(text => [[{ text, data: 'x' }]]),
    values: [nothing, ...upTo(limits.buttonTextCharsMax, emojis), ...turning, unseen],
  })
  check('the data of a button', {
    ...buttons<string>(data => [[{ text: 'x', data }]]),
    values: [
      ['nothing', '', 'unsightly'],
      ...upTo(limits.buttonDataBytesMax, letters),
      ['half as many of two bytes', 'ä'.repeat(limits.buttonDataBytesMax / 2), 'kept'],
      ['one more of two bytes', 'ä'.repeat(limits.buttonDataBytesMax / 2 + 1), 'refused'],
      half,
    ],
  })
  check('the address of a button', {
    ...buttons<string>(url => [[{ text: 'x', url }]]),
    values: [
      nothing,
      ...upTo(limits.buttonUrlUnitsMax, count => `https://x/${letters(count - 'https://x/'.length)}`),
      ['http', 'http://x', 'refused'],
      ['a script', 'javascript:alert(1)', 'refused'],
      ['no host', 'https://', 'unsightly'],
      ['white space', 'https://x/a b', 'unsightly'],
      ['what hides', 'https://x/\u202egro', 'unsightly'],
      ['a name before the host', 'https://bank.example@evil.example/', 'unsightly'],
      ['a name and a password', 'https://a:b@x/', 'unsightly'],
      ['an @ behind the host', 'https://x/@alice?to=a@b', 'kept'],
    ],
  })
  check('rows of buttons', {
    ...buttons<Button[][]>(rows => rows),
    values: [
      ...upTo(limits.buttonRowsMax, count => times(count, [button])),
      ...upTo(limits.buttonsPerRowMax, count => [times(count, button)]),
      ['an empty row', [[button], []], 'refused'],
    ],
  })

  const known = { name: 'bot', about: '', bot: true, commands: [] }
  check('the name of an account', {
    api: name => botChange.safeParse({ name }),
    core: (name, { bot }) => bot.client.identity.setProfile({ name }),
    content: name => profile.safeParse({ ...known, name }).success,
    values: [nothing, ...upTo(limits.nameCharsMax, emojis), ...turning, unseen],
  })
  check('a description', {
    api: about => botChange.safeParse({ about }),
    core: (about, { bot }) => bot.client.identity.setProfile({ about }),
    content: about => profile.safeParse({ ...known, about }).success,
    values: [['nothing', '', 'kept'], ...upTo(limits.aboutCharsMax, emojis), ['two lines', 'a\nb', 'kept'], half],
  })
  type Command = { name: string; description: string; args?: string }
  check('commands', {
    api: commands => botCommands.safeParse({ commands }),
    core: (commands, { bot }) => bot.client.identity.setProfile({ commands }),
    content: commands => profile.safeParse({ ...known, commands }).success,
    values: [
      ...upTo<Command[]>(limits.commandsMax, count =>
        Array.from({ length: count }, (_, at) => ({ name: `c${at}`, description: '' })),
      ),
      ...upTo<Command[]>(limits.commandNameCharsMax, count => [{ name: letters(count), description: '' }]),
      ...upTo<Command[]>(limits.commandDescriptionCharsMax, count => [{ name: 'a', description: emojis(count) }]),
      ...upTo<Command[]>(limits.commandArgsCharsMax, count => [{ name: 'a', description: '', args: emojis(count) }]),
      ['a name of other signs', [{ name: 'A', description: '' }], 'refused'],
      ['a description of two lines', [{ name: 'a', description: 'a\nb' }], 'unsightly'],
    ],
  })
  const settings = { v: 1, type: 'group', title: 'Team', admins: [], timerMs: 0 }
  const areSettings = (changed: object) =>
    decodeGroupSettings(utf8(JSON.stringify({ ...settings, ...changed }))) !== undefined
  check('the name of a group', {
    api: name => newGroup.safeParse({ name, members: [] }),
    core: (name, { bot }) => bot.client.chats.createGroup({ name, members: [] }, WITHIN),
    content: title => areSettings({ title }),
    values: [nothing, ...upTo(limits.groupNameCharsMax, emojis), ...turning, unseen],
  })
  check('a timer', {
    core: (ms, { bot }) => bot.client.chats.setTimer(nobody, ms, WITHIN),
    content: timerMs => areSettings({ timerMs }),
    values: [
      ['0', 0, 'kept'],
      ...upTo(limits.timerMsMax, count => count),
      ['-1', -1, 'refused'],
      ['1.5', 1.5, 'refused'],
    ],
  })
})

describe('[BOTAPI-2.1, BOTAPI-2.3] the same verdict on', () => {
  check('an emoji', {
    api: emoji => newReaction.safeParse({ emoji }),
    core: (emoji, { bot, alice, said }) => bot.client.messages.react(alice.chatId, { message: said, emoji }, WITHIN),
    content: (emoji, { said }) => isContent({ kind: 'reaction', target: said, emoji }),
    values: [
      ...['👍', '👍🏽', '❤', '❤️', '👨‍👩‍👧‍👦', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '#⃣', '©'].map((one): Case<string> => [one, one, 'kept']),
      ...['🇩', 'a⃣', '1', 'a', ' ', '👍👍', '👍a', '\ufe0f', '\u20e3'].map(
        (one): Case<string> => [one, one, 'unsightly'],
      ),
      half,
      ['more than any emoji has', `👍${'\u200d👍'.repeat(limits.emojiUnitsMax)}`, 'refused'],
    ],
  })
})
