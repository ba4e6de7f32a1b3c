// Bodies with one field that is wrong, and the sentence that names it.
import type { endpoints } from '@postern/bot-api'
import { contentLimits } from '@postern/protocol'

export const unknownId = 'b'.repeat(32)

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const text = { min: 'x', max: 'x'.repeat(contentLimits.textCharsMax + 1) }
const account = 'a'.repeat(32)
const mention = { user: account, offset: 0, length: 1 }
const entity = { type: 'link', offset: 0, length: 1, url: 'https://example.org' }
const half = '\ud800'
const controlRule = 'must not contain line breaks or control characters.'
const turningRule = 'must not contain characters that change the direction of text.'
/** Lines with hiding, reversing or breaking characters, and the error for each. */
const wrongLines: [string, string][] = [
  ['a\nb', controlRule],
  ['a\u2028b', controlRule],
  ['a\u0000', controlRule],
  ['a\u001b[2J', controlRule],
  ['a\u0085b', controlRule],
  ['\u202ea', turningRule],
  ['\u2066a\u2069', turningRule],
  [`a${half}`, 'must not contain half of a surrogate pair.'],
]
const wrongNames: [string, string][] = [...wrongLines, ['\u200b\u3164\u00a0', 'must not be blank.']]
const button = { text: 'x', data: 'y' }
const httpsRule = 'must be an https:// address of at most 2048 characters.'
const poll = { question: 'x', options: ['a', 'b'] }
const timeRule = 'must be a time in milliseconds, or 0 for never.'

/** For every endpoint with a body: one with every field it knows. */
export const fullBodies = {
  sendMessage: {
    text: 'x',
    reply_to: unknownId,
    mentions: [mention],
    entities: [entity],
    buttons: [[button], [{ text: 'x', url: 'https://example.org' }]],
  },
  editMessage: {
    text: 'x',
    mentions: [mention],
    entities: [entity],
    buttons: [[button], [{ text: 'x', url: 'https://example.org' }]],
  },
  forwardMessage: {
    from: { chat_id: account, message_id: unknownId },
    copy: true,
    caption: 'x',
    mentions: [mention],
    entities: [entity],
    reply_to: unknownId,
    silent: true,
    buttons: [[button], [{ text: 'x', url: 'https://example.org' }]],
  },
  setWebhook: { url: 'https://example.org', secret: 'x', previous_secret: 'x' },
  changeMe: { name: 'x', about: 'x' },
  setCommands: { commands: [{ name: 'x', description: 'x', args: 'x' }] },
  createInvite: { payload: 'x', uses: 1, expires: 1 },
  createGroup: { name: 'x', members: [account] },
  answerJoinRequest: { add: true },
  askToJoin: { link: 'x' },
  compareSafetyNumber: { verified: true, number: 'x' },
  setReaction: { emoji: '👍' },
  markRead: { up_to: unknownId },
  sendPoll: {
    ...poll,
    multiple: true,
    close_ts: 1,
    reply_to: unknownId,
    mentions: [mention],
    buttons: [[button], [{ text: 'x', url: 'https://example.org' }]],
  },
  vote: { options: [0] },
  answerPress: { text: 'x' },
  createHook: { chat_id: account, format: 'text' },
  createToken: { name: 'x', scopes: ['send'], chats: [account] },
} satisfies Partial<Record<keyof typeof endpoints, object>>

/** The body with one value, however deep, replaced by every wrong type; with the name of its field. */
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

/** Endpoint, body, and its error. */
export const wrongBodies: [keyof typeof endpoints, object, string][] = [
  ...['', 'a b', 'é', 'x'.repeat(65), 'x\n'].map(
    payload =>
      ['createInvite', { payload }, 'payload: must have 1 to 64 characters of A-Z, a-z, 0-9, _ and -.'] as never,
  ),
  ...[0, -1, 1.5, 1e9 + 1].map(
    uses => ['createInvite', { payload: 'x', uses }, 'uses: must be a whole number from 1 to 1000000000.'] as never,
  ),
  ...[0, -1, 1.5].map(
    expires => ['createInvite', { payload: 'x', expires }, 'expires: must be a time in milliseconds.'] as never,
  ),
  ['createInvite', { payload: 'x', expires: 1 }, 'expires: must be in the future.'],
  ['sendMessage', {}, 'text: must be a string.'],
  ...[null, 5, [], {}, true].map(value => ['sendMessage', { text: value }, 'text: must be a string.'] as never),
  ...['', text.max].map(value => ['sendMessage', { text: value }, 'text: must have 1 to 4096 characters.'] as never),
  ['sendMessage', { text: half }, 'text: must not contain half of a surrogate pair.'],
  ['sendMessage', { text: 'x', reply_to: 5 }, 'reply_to: must be a message id.'],
  ['sendMessage', { text: 'x', reply_to: 'x' }, 'reply_to: is not a valid message id.'],
  ['sendMessage', { text: 'x', reply_to: unknownId }, 'reply_to: must be the id of a message in this chat.'],
  ['sendMessage', { text: 'x', mentions: 'x' }, 'mentions: must be an array.'],
  ['sendMessage', { text: 'x', mentions: times(101, mention) }, 'mentions: must have at most 100 entries.'],
  ['sendMessage', { text: 'x', mentions: [5] }, 'mentions[0]: must be an object with user, offset and length.'],
  ['sendMessage', { text: 'x', mentions: [{ ...mention, user: 5 }] }, 'mentions[0].user: must be an account id.'],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, user: 'bob' }] },
    'mentions[0].user: is not a valid account id.',
  ],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, offset: -1 }] },
    'mentions[0].offset: must be a whole number of at least 0.',
  ],
  [
    'sendMessage',
    { text: 'x', mentions: [{ ...mention, length: 0.5 }] },
    'mentions[0].length: must be a whole number of at least 1.',
  ],
  ['sendMessage', { text: 'x', mentions: [{ ...mention, length: 2 }] }, 'mentions[0]: must end within the text.'],
  ...(
    [
      [[mention], 0, 'must begin and end between characters.'],
      [[{ ...mention, offset: 1 }], 0, 'must begin and end between characters.'],
      [
        [
          { ...mention, offset: 2 },
          { ...mention, length: 2 },
        ],
        1,
        'must be in the order of the text and must not overlap.',
      ],
      [
        [
          { ...mention, length: 2 },
          { ...mention, length: 2 },
        ],
        1,
        'must be in the order of the text and must not overlap.',
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
  ['changeMe', { about: half }, 'about: must not contain half of a surrogate pair.'],
  ['sendPoll', { ...poll, question: '\u2060' }, 'question: must not be blank.'],
  ['answerPress', { text: half }, 'text: must not contain half of a surrogate pair.'],
  ...(
    [
      ['x', ': must be an array of rows.'],
      [{}, ': must be an array of rows.'],
      [times(4, [button]), ': must have at most 3 rows.'],
      [[button], '[0]: must be an array of buttons.'],
      [[[]], '[0]: must have 1 to 2 buttons.'],
      [[times(3, button)], '[0]: must have 1 to 2 buttons.'],
      [[['x']], '[0][0]: must be an object with text and either data or url.'],
      [[[{ data: 'x' }]], '[0][0].text: must be a string.'],
      [[[{ ...button, text: 'x'.repeat(65) }]], '[0][0].text: must have 1 to 64 characters.'],
      [[[{ text: 'x' }]], '[0][0]: must have either data or url.'],
      [[[{ ...button, url: 'https://x.y' }]], '[0][0]: must have either data or url.'],
      [[[{ text: 'x', data: 5 }]], '[0][0].data: must be a string.'],
      [[[{ text: 'x', data: 'ä'.repeat(33) }]], '[0][0].data: must have 1 to 64 bytes of UTF-8.'],
      [[[{ text: 'x', data: half }]], '[0][0].data: must not contain half of a surrogate pair.'],
      [[[{ text: 'x', url: 'http://x.y' }]], `[0][0].url: ${httpsRule}`],
      [[[{ text: 'x', url: 'HTTP://x.y' }]], `[0][0].url: ${httpsRule}`],
      [[[{ text: 'x', url: 5 }]], '[0][0].url: must be a string.'],
    ] as [unknown, string][]
  ).flatMap(([buttons, sentence]): [keyof typeof endpoints, object, string][] => [
    ['sendMessage', { text: 'x', buttons }, `buttons${sentence}`],
    ['editMessage', { buttons }, `buttons${sentence}`],
  ]),
  ...[undefined, null, 5, 'x'].map(
    from => ['forwardMessage', { from }, 'from: must be an object with chat_id and message_id.'] as never,
  ),
  ['forwardMessage', { from: { chat_id: '', message_id: unknownId } }, 'from.chat_id: must be a chat id.'],
  ['forwardMessage', { from: { chat_id: account } }, 'from.message_id: must be a message id.'],
  ['forwardMessage', { from: { chat_id: account, message_id: 'x' } }, 'from.message_id: is not a valid message id.'],
  ...(
    [
      [{ copy: 1 }, 'copy: must be true or false.'],
      [{ caption: 'x' }, 'caption: must be sent together with copy.'],
      [{ copy: true, caption: half }, 'caption: must not contain half of a surrogate pair.'],
      [{ copy: true, caption: 'x', mentions: [{ ...mention, length: 2 }] }, 'mentions[0]: must end within the text.'],
      [{ copy: true, mentions: [mention] }, 'mentions: must be sent together with a caption.'],
      [{ copy: true, entities: [entity] }, 'entities: must be sent together with a caption.'],
      [{ format: 'markdown' }, 'format: must be sent together with a caption.'],
    ] as [object, string][]
  ).map(
    ([fields, sentence]) =>
      ['forwardMessage', { from: { chat_id: account, message_id: unknownId }, ...fields }, sentence] as never,
  ),
  ...[undefined, null, 5].map(url => ['setWebhook', { url, secret: 'x' }, 'url: must be a string.'] as never),
  ...['', 'x'.repeat(2049)].map(
    url => ['setWebhook', { url, secret: 'x' }, 'url: must have 1 to 2048 characters.'] as never,
  ),
  ...['x', 'example.org', 'ftp://example.org', 'file:///etc/passwd', 'http://', 'gopher://x'].map(
    url =>
      ['setWebhook', { url, secret: 'x' }, 'url: must be an address that starts with http:// or https://.'] as never,
  ),
  ['setWebhook', { url: 'http://x.y' }, 'secret: must be a string.'],
  ['setWebhook', { url: 'http://x.y', secret: '' }, 'secret: must have 1 to 512 characters.'],
  ['setWebhook', { url: 'http://x.y', secret: 'whsec_x' }, 'secret: must be base64 after whsec_.'],
  [
    'setWebhook',
    { url: 'http://x.y', secret: 'x', previous_secret: 'whsec_!' },
    'previous_secret: must be base64 after whsec_.',
  ],
  ['editMessage', { text: '' }, 'text: must have 1 to 4096 characters.'],
  ['editMessage', { text: 5 }, 'text: must be a string.'],
  ['editMessage', { text: text.max }, 'text: must have at most 4096 characters.'],
  ...[undefined, 5].map(question => ['sendPoll', { ...poll, question }, 'question: must be a string.'] as never),
  ...['', 'x'.repeat(301)].map(
    question => ['sendPoll', { ...poll, question }, 'question: must have 1 to 300 characters.'] as never,
  ),
  ['sendPoll', { ...poll, question: ' ' }, 'question: must not be blank.'],
  ...[undefined, 'x', {}].map(
    options => ['sendPoll', { ...poll, options }, 'options: must be an array of texts.'] as never,
  ),
  ...[[], ['a'], times(13, 'a')].map(
    options => ['sendPoll', { ...poll, options }, 'options: must have 2 to 12 options.'] as never,
  ),
  ...[5, null].map(
    option => ['sendPoll', { ...poll, options: ['a', option] }, 'options[1]: must be a string.'] as never,
  ),
  ...['', 'x'.repeat(101)].map(
    option => ['sendPoll', { ...poll, options: ['a', option] }, 'options[1]: must have 1 to 100 characters.'] as never,
  ),
  ['sendPoll', { ...poll, multiple: 'yes' }, 'multiple: must be true or false.'],
  ...['x', -1, 1.5].map(close_ts => ['sendPoll', { ...poll, close_ts }, `close_ts: ${timeRule}`] as never),
  ['sendPoll', { ...poll, close_ts: 1 }, 'close_ts: must be in the future.'],
  ['sendPoll', { ...poll, mentions: [{ ...mention, length: 2 }] }, 'mentions[0]: must end within the text.'],
  ['sendPoll', { ...poll, buttons: [[{ text: 'x' }]] }, 'buttons[0][0]: must have either data or url.'],
  ['sendPoll', { ...poll, reply_to: unknownId }, 'reply_to: must be the id of a message in this chat.'],
  ...[undefined, null, 'x', 0].map(options => ['vote', { options }, 'options: must be an array of indexes.'] as never),
  ...[-1, 12, 0.5, '0'].map(
    option => ['vote', { options: [option] }, 'options[0]: must be a whole number from 0 to 11.'] as never,
  ),
  ['vote', { options: times(13, 0) }, 'options: must have at most 12 entries.'],
  ['vote', { options: [0] }, 'The message is not a poll.'],
  ...[undefined, null, 5].map(value => ['answerPress', { text: value }, 'text: must be a string.'] as never),
  ['answerPress', { text: 'x'.repeat(201) }, 'text: must have at most 200 characters.'],
  ...[undefined, null, '', 'a', '5', '👍👍', '👍 ', 5, half].map(
    emoji => ['setReaction', { emoji }, 'emoji: must be one emoji.'] as never,
  ),
  ['markRead', { up_to: 5 }, 'up_to: must be a message id.'],
  ['markRead', { up_to: 'x' }, 'up_to: is not a valid message id.'],
  ...['', 'x'.repeat(65)].map(name => ['changeMe', { name }, 'name: must have 1 to 64 characters.'] as never),
  ['changeMe', { name: 5 }, 'name: must be a string.'],
  ['changeMe', { name: ' \t' }, 'name: must not be blank.'],
  ['changeMe', { name: 'fine', about: 'x'.repeat(513) }, 'about: must have at most 512 characters.'],
  ['changeMe', { about: 5 }, 'about: must be a string.'],
  ...[undefined, null, {}, 'x'].map(commands => ['setCommands', { commands }, 'commands: must be an array.'] as never),
  ['setCommands', { commands: times(101, { name: 'a' }) }, 'commands: must have at most 100 entries.'],
  ['setCommands', { commands: ['a'] }, 'commands[0]: must be an object with name, description and args.'],
  ...[undefined, 5].map(
    name => ['setCommands', { commands: [{ name }] }, 'commands[0].name: must be a string.'] as never,
  ),
  ...['', 'A', 'a-b', 'a'.repeat(33), 'ä', '/a'].map(
    name =>
      [
        'setCommands',
        { commands: [{ name, description: 'x' }] },
        'commands[0].name: must have 1 to 32 characters from a to z, 0 to 9 and _.',
      ] as never,
  ),
  [
    'setCommands',
    { commands: [{ name: 'a', description: 'x'.repeat(257) }] },
    'commands[0].description: must have at most 256 characters.',
  ],
  [
    'setCommands',
    { commands: [{ name: 'a', args: 'x'.repeat(33) }] },
    'commands[0].args: must have at most 32 characters.',
  ],
  [
    'setCommands',
    { commands: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
    'commands[2].name: must not be repeated.',
  ],
  ...[undefined, 5].map(name => ['createGroup', { name, members: [] }, 'name: must be a string.'] as never),
  ...['', 'x'.repeat(129)].map(
    name => ['createGroup', { name, members: [] }, 'name: must have 1 to 128 characters.'] as never,
  ),
  ...[undefined, null, 'x', {}].map(
    members => ['createGroup', { name: 'x', members }, 'members: must be an array of account ids.'] as never,
  ),
  ['createGroup', { name: 'x', members: [5] }, 'members[0]: must be an account id.'],
  ['createGroup', { name: 'x', members: [account, 'bob'] }, 'members[1]: is not a valid account id.'],
  ['createGroup', { name: 'x', members: times(1000, account) }, 'members: must have at most 999 entries.'],
]
