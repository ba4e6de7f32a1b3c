// Bodies with one field that is wrong, and the sentence that names it.
import type { endpoints } from '@postern/bot-api'
import { contentLimits } from '@postern/protocol'

export const unknownId = 'b'.repeat(32)

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const text = { min: 'x', max: 'x'.repeat(contentLimits.textCharsMax + 1) }
const account = 'a'.repeat(32)
const mention = { user: account, offset: 0, length: 1 }
const half = '\ud800'
const controlRule = 'line breaks and control characters are not allowed.'
const turningRule = 'signs that turn the direction of writing are not allowed.'
/** Lines that hide, turn round or break something, and what is said about them. */
const wrongLines: [string, string][] = [
  ['a\nb', controlRule],
  ['a\u2028b', controlRule],
  ['a\u0000', controlRule],
  ['a\u001b[2J', controlRule],
  ['a\u0085b', controlRule],
  ['\u202ea', turningRule],
  ['\u2066a\u2069', turningRule],
  [`a${half}`, 'it holds half of a surrogate pair.'],
]
const wrongNames: [string, string][] = [...wrongLines, ['\u200b\u3164\u00a0', 'more than white space is required.']]
const button = { text: 'x', data: 'y' }
const httpsRule = 'an address that starts with https://, of at most 2048 characters, is required.'
const poll = { question: 'x', options: ['a', 'b'] }
const timeRule = 'a time in milliseconds, or 0 for never, is required.'

/** For every endpoint with a body: one with every field it knows. */
export const fullBodies = {
  sendMessage: {
    text: 'x',
    reply_to: unknownId,
    mentions: [mention],
    buttons: [[button], [{ text: 'x', url: 'https://example.org' }]],
  },
  editMessage: { text: 'x', mentions: [mention], buttons: [[button], [{ text: 'x', url: 'https://example.org' }]] },
  changeMe: { name: 'x', about: 'x' },
  setCommands: { commands: [{ name: 'x', description: 'x', args: 'x' }] },
  createGroup: { name: 'x', members: [account] },
  setReaction: { emoji: '👍' },
  markRead: { up_to: unknownId },
  sendPoll: { ...poll, multiple: true, close_ts: 1, reply_to: unknownId },
  vote: { options: [0] },
  answerPress: { text: 'x' },
  createHook: { chat_id: account, format: 'text' },
} satisfies Partial<Record<keyof typeof endpoints, object>>

/** The body with one value in it, however deep, of every type that it must not have; with the name of its field. */
export function* wrongTypes(value: unknown, at = ''): Generator<[field: string, body: unknown]> {
  if (at !== '')
    for (const other of [5, 0, true, false, 'x', [], {}]) if (kindOf(other) !== kindOf(value)) yield [at, other]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const name = Array.isArray(value) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`
    for (const [field, wrong] of wrongTypes(inner, name))
      yield [field, Array.isArray(value) ? value.with(Number(key), wrong) : { ...value, [key]: wrong }]
  }
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

/** Endpoint, body, and what is said about it. */
export const wrongBodies: [keyof typeof endpoints, object, string][] = [
  ['sendMessage', {}, 'text: a string is required.'],
  ...[null, 5, [], {}, true].map(value => ['sendMessage', { text: value }, 'text: a string is required.'] as never),
  ...['', text.max].map(value => ['sendMessage', { text: value }, 'text: 1 to 4096 characters are required.'] as never),
  ['sendMessage', { text: half }, 'text: it holds half of a surrogate pair.'],
  ['sendMessage', { text: 'x', reply_to: 5 }, 'reply_to: a message id is required.'],
  ['sendMessage', { text: 'x', reply_to: 'x' }, 'reply_to: it is no message id.'],
  ['sendMessage', { text: 'x', reply_to: unknownId }, 'reply_to: there is no such message in this chat.'],
  ['sendMessage', { text: 'x', mentions: 'x' }, 'mentions: an array is required.'],
  ['sendMessage', { text: 'x', mentions: times(101, mention) }, 'mentions: at most 100 are allowed.'],
  ['sendMessage', { text: 'x', mentions: [5] }, 'mentions[0]: an object with user, offset and length is required.'],
  ['sendMessage', { text: 'x', mentions: [{ ...mention, user: 5 }] }, 'mentions[0].user: an account id is required.'],
  ['sendMessage', { text: 'x', mentions: [{ ...mention, user: 'bob' }] }, 'mentions[0].user: it is no account id.'],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, offset: -1 }] },
    'mentions[0].offset: a whole number from 0 up is required.',
  ],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, length: 0.5 }] },
    'mentions[0].length: a whole number from 1 up is required.',
  ],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, length: 2 }] },
    'mentions[0]: it reaches beyond the end of the text.',
  ],
  ...(
    [
      [[mention], 0, 'it begins or ends inside of a character.'],
      [[{ ...mention, offset: 1 }], 0, 'it begins or ends inside of a character.'],
      [
        [
          { ...mention, offset: 2 },
          { ...mention, length: 2 },
        ],
        1,
        'mentions stand in the order of the text and do not overlap.',
      ],
      [
        [
          { ...mention, length: 2 },
          { ...mention, length: 2 },
        ],
        1,
        'mentions stand in the order of the text and do not overlap.',
      ],
    ] as [object[], number, string][]
  ).flatMap(([mentions, at, sentence]): [keyof typeof endpoints, object, string][] => [
    ['sendMessage', { text: '👍x', mentions }, `mentions[${at}]: ${sentence}`],
    ['editMessage', { text: '👍x', mentions }, `mentions[${at}]: ${sentence}`],
  ]),
  ...wrongNames.flatMap(([name, sentence]): [keyof typeof endpoints, object, string][] => [
    ['changeMe', { name }, `name: ${sentence}`],
    ['createGroup', { name, members: [] }, `name: ${sentence}`],
    ['sendPoll', { ...poll, options: ['a', name] }, `options[1]: ${sentence}`],
    ['sendMessage', { text: 'x', buttons: [[{ ...button, text: name }]] }, `buttons[0][0].text: ${sentence}`],
  ]),
  ...wrongLines.flatMap(([line, sentence]): [keyof typeof endpoints, object, string][] => [
    ['setCommands', { commands: [{ name: 'a', description: line }] }, `commands[0].description: ${sentence}`],
    ['setCommands', { commands: [{ name: 'a', args: line }] }, `commands[0].args: ${sentence}`],
  ]),
  ['changeMe', { about: half }, 'about: it holds half of a surrogate pair.'],
  ['sendPoll', { ...poll, question: '\u2060' }, 'question: more than white space is required.'],
  ['answerPress', { text: half }, 'text: it holds half of a surrogate pair.'],
  ...(
    [
      ['x', ': an array of rows is required.'],
      [{}, ': an array of rows is required.'],
      [times(4, [button]), ': at most 3 rows are allowed.'],
      [[button], '[0]: an array of buttons is required.'],
      [[[]], '[0]: 1 to 2 buttons are required.'],
      [[times(3, button)], '[0]: 1 to 2 buttons are required.'],
      [[['x']], '[0][0]: an object with text and either data or url is required.'],
      [[[{ data: 'x' }]], '[0][0].text: a string is required.'],
      [[[{ ...button, text: 'x'.repeat(65) }]], '[0][0].text: 1 to 64 characters are required.'],
      [[[{ text: 'x' }]], '[0][0]: either data or url is required.'],
      [[[{ ...button, url: 'https://x.y' }]], '[0][0]: either data or url is required.'],
      [[[{ text: 'x', data: 5 }]], '[0][0].data: a string is required.'],
      [[[{ text: 'x', data: 'ä'.repeat(33) }]], '[0][0].data: 1 to 64 bytes of UTF-8 are required.'],
      [[[{ text: 'x', data: half }]], '[0][0].data: it holds half of a surrogate pair.'],
      [[[{ text: 'x', url: 'http://x.y' }]], `[0][0].url: ${httpsRule}`],
      [[[{ text: 'x', url: 'HTTP://x.y' }]], `[0][0].url: ${httpsRule}`],
      [[[{ text: 'x', url: 5 }]], '[0][0].url: a string is required.'],
    ] as [unknown, string][]
  ).flatMap(([buttons, sentence]): [keyof typeof endpoints, object, string][] => [
    ['sendMessage', { text: 'x', buttons }, `buttons${sentence}`],
    ['editMessage', { buttons }, `buttons${sentence}`],
  ]),
  ['editMessage', { text: '' }, 'text: 1 to 4096 characters are allowed.'],
  ['editMessage', { text: 5 }, 'text: a string is required.'],
  ['editMessage', { text: text.max }, 'text: at most 4096 characters are allowed.'],
  ...[undefined, 5].map(question => ['sendPoll', { ...poll, question }, 'question: a string is required.'] as never),
  ...['', 'x'.repeat(301)].map(
    question => ['sendPoll', { ...poll, question }, 'question: 1 to 300 characters are required.'] as never,
  ),
  ['sendPoll', { ...poll, question: ' ' }, 'question: more than white space is required.'],
  ...[undefined, 'x', {}].map(
    options => ['sendPoll', { ...poll, options }, 'options: an array of texts is required.'] as never,
  ),
  ...[[], ['a'], times(13, 'a')].map(
    options => ['sendPoll', { ...poll, options }, 'options: 2 to 12 are required.'] as never,
  ),
  ...[5, null].map(
    option => ['sendPoll', { ...poll, options: ['a', option] }, 'options[1]: a string is required.'] as never,
  ),
  ...['', 'x'.repeat(101)].map(
    option =>
      ['sendPoll', { ...poll, options: ['a', option] }, 'options[1]: 1 to 100 characters are required.'] as never,
  ),
  ['sendPoll', { ...poll, multiple: 'yes' }, 'multiple: true or false is required.'],
  ...['x', -1, 1.5].map(close_ts => ['sendPoll', { ...poll, close_ts }, `close_ts: ${timeRule}`] as never),
  ['sendPoll', { ...poll, close_ts: 1 }, 'close_ts: a time in the future is required.'],
  ['sendPoll', { ...poll, reply_to: unknownId }, 'reply_to: there is no such message in this chat.'],
  ...[undefined, null, 'x', 0].map(
    options => ['vote', { options }, 'options: an array of indexes is required.'] as never,
  ),
  ...[-1, 12, 0.5, '0'].map(
    option => ['vote', { options: [option] }, 'options[0]: a whole number from 0 to 11 is required.'] as never,
  ),
  ['vote', { options: times(13, 0) }, 'options: at most 12 are allowed.'],
  ['vote', { options: [0] }, 'The message is not a poll.'],
  ...[undefined, null, 5].map(value => ['answerPress', { text: value }, 'text: a string is required.'] as never),
  ['answerPress', { text: 'x'.repeat(201) }, 'text: at most 200 characters are allowed.'],
  ...[undefined, null, '', 'a', '5', '👍👍', '👍 ', 5, half].map(
    emoji => ['setReaction', { emoji }, 'emoji: one emoji is required.'] as never,
  ),
  ['markRead', { up_to: 5 }, 'up_to: a message id is required.'],
  ['markRead', { up_to: 'x' }, 'up_to: it is no message id.'],
  ...['', 'x'.repeat(65)].map(name => ['changeMe', { name }, 'name: 1 to 64 characters are required.'] as never),
  ['changeMe', { name: 5 }, 'name: a string is required.'],
  ['changeMe', { name: ' \t' }, 'name: more than white space is required.'],
  ['changeMe', { name: 'fine', about: 'x'.repeat(513) }, 'about: at most 512 characters are allowed.'],
  ['changeMe', { about: 5 }, 'about: a string is required.'],
  ...[undefined, null, {}, 'x'].map(
    commands => ['setCommands', { commands }, 'commands: an array is required.'] as never,
  ),
  ['setCommands', { commands: times(101, { name: 'a' }) }, 'commands: at most 100 are allowed.'],
  ['setCommands', { commands: ['a'] }, 'commands[0]: an object with name, description and args is required.'],
  ...[undefined, 5].map(
    name => ['setCommands', { commands: [{ name }] }, 'commands[0].name: a string is required.'] as never,
  ),
  ...['', 'A', 'a-b', 'a'.repeat(33), 'ä', '/a'].map(
    name =>
      [
        'setCommands',
        { commands: [{ name, description: 'x' }] },
        'commands[0].name: 1 to 32 of the signs a to z, 0 to 9 and _ are required.',
      ] as never,
  ),
  [
    'setCommands',
    { commands: [{ name: 'a', description: 'x'.repeat(257) }] },
    'commands[0].description: at most 256 characters are allowed.',
  ],
  [
    'setCommands',
    { commands: [{ name: 'a', args: 'x'.repeat(33) }] },
    'commands[0].args: at most 32 characters are allowed.',
  ],
  [
    'setCommands',
    { commands: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
    'commands[2].name: it stands there twice.',
  ],
  ...[undefined, 5].map(name => ['createGroup', { name, members: [] }, 'name: a string is required.'] as never),
  ...['', 'x'.repeat(129)].map(
    name => ['createGroup', { name, members: [] }, 'name: 1 to 128 characters are required.'] as never,
  ),
  ...[undefined, null, 'x', {}].map(
    members => ['createGroup', { name: 'x', members }, 'members: an array of account ids is required.'] as never,
  ),
  ['createGroup', { name: 'x', members: [5] }, 'members[0]: an account id is required.'],
  ['createGroup', { name: 'x', members: [account, 'bob'] }, 'members[1]: it is no account id.'],
  ['createGroup', { name: 'x', members: times(1000, account) }, 'members: at most 999 are allowed.'],
]
