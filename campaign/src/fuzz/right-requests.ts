// One valid request for every endpoint of the table, to be mutated: an endpoint without one does not compile.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EndpointName, endpoints } from '@postern/bot-api'
import { gatewayLimits } from '@postern/protocol'
import type { SeededRandom } from '@postern/testkit'
import type { Known } from './known.ts'
import type { Json } from './nasty-values.ts'
import type { Body, Right } from './request-shape.ts'

export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** Alice is needed as she is. */
const STRANGER = 'b'.repeat(32)
const TOKEN = 'A'.repeat(22)
/** The account in it is registered nowhere. */
const GROUP_LINK = `https://relay.example/#g/${STRANGER}/${'A'.repeat(43)}/${TOKEN}/Q3Jldw`
const none: Body = { kind: 'none' }
const picture: Body = { kind: 'bytes', type: 'image/png', bytes: PIXEL }
const json = (value: Json): Body => ({ kind: 'json', value })
type Given = Partial<Pick<Right, 'params' | 'query' | 'headers' | 'body'>>
type Make = (known: Known, random: SeededRandom) => Given

const inChat = (known: Known, random: SeededRandom) => ({ params: { chat: random.of(known.chats) } })
/** The private chat has no members to change: the groups are needed as they are. */
const ofMember = ({ alice }: Known) => ({ params: { chat: alice, account: alice } })
const ofMessage = ({ messages }: Known, random: SeededRandom) => {
  const { chat, id } = random.of(messages.of('any'))
  return { params: { chat, msg: id } }
}
const ofPoll = ({ messages }: Known, random: SeededRandom) => {
  const { chat, id } = random.of(messages.of('poll'))
  return { params: { chat, msg: id } }
}

const buttons: Json = [
  [
    { text: 'Yes', data: 'yes' },
    { text: 'Look', url: 'https://example.org/' },
  ],
]

/** As many as there can be, and one more. */
const readerNames = Array.from({ length: gatewayLimits.readersMax + 1 }, (_, at) => `reader-${at}`)
const namedReader = (random: SeededRandom): [string, string][] => [
  ['reader', random.of(readerNames)],
  ['types', random.of(['message,edited', 'message,delivered,read'])],
  ['from', 'oldest'],
]

const alerts = ['firing-1', 'resolved-1', 'firing-many-25', 'all-resolved-many'].map(
  name =>
    JSON.parse(
      readFileSync(join(import.meta.dirname, '../../../packages/gateway/test/fixtures/alerts', `${name}.json`), 'utf8'),
    ) as Json,
)

const pipeline = (random: SeededRandom): Json => ({
  object_kind: 'pipeline',
  object_attributes: {
    id: random.below(1000),
    ref: 'main',
    tag: false,
    status: random.of(['failed', 'success', 'canceled', 'running']),
    url: 'https://git.example.org/shop/cart/-/pipelines/1',
  },
  project: { path_with_namespace: 'shop/cart', name: 'cart' },
  merge_request: random.below(2) === 0 ? null : { iid: 5, source_branch: 'mend', target_branch: 'main' },
  commit: { id: 'bcbb5ec396a2', title: 'Count twice', author: { name: 'Alice' } },
  builds: [{ name: 'unit', status: 'failed', allow_failure: false }],
})

function hookPost(known: Known, random: SeededRandom): Given {
  const { secret, format } = random.of(known.hooks)
  const params = { secret }
  if (format === 'alerts') return { params, body: json(random.of(alerts)) }
  if (format === 'pipeline') return { params, headers: [['X-Vcs-Token', secret]], body: json(pipeline(random)) }
  if (random.below(2) === 0) return { params, body: json({ text: 'hello' }) }
  return { params, body: { kind: 'bytes', type: 'text/plain; charset=utf-8', bytes: Buffer.from('hello ünïcode 🚨') } }
}

const make: Record<EndpointName, Make> = {
  getMe: () => ({}),
  changeMe: () => ({ body: json({ name: 'fuzzed', about: 'bends what it is sent' }) }),
  newInvite: () => ({}),
  setCommands: () => ({ body: json({ commands: [{ name: 'help', description: 'Helps', args: '<word>' }] }) }),
  setAvatar: () => ({ body: picture }),
  createInvite: (_, random) => ({
    body: json({ payload: `ticket-${random.below(1000)}`, uses: 1 + random.below(3), expires: 4_102_444_800_000 }),
  }),
  listInvites: ({ spareInvites }, random) => ({
    query: [
      ['limit', '5'],
      ['after', random.of(spareInvites)],
    ],
  }),
  revokeInvite: ({ spareInvites }, random) => ({ params: { id: random.of(spareInvites) } }),
  listChats: () => ({}),
  getChat: inChat,
  acceptChat: inChat,
  declineChat: inChat,
  sendTyping: inChat,
  sendDraft: (known, random) => ({ ...inChat(known, random), body: json({ text: 'hel', format: 'markdown' }) }),
  getPerson: ({ alice }) => ({ params: { account: alice } }),
  getSafetyNumber: ({ alice }) => ({ params: { account: alice } }),
  compareSafetyNumber: ({ alice }) => ({ params: { account: alice }, body: json({ verified: true }) }),
  listBlocked: () => ({}),
  blockPerson: () => ({ params: { account: STRANGER } }),
  unblockPerson: () => ({ params: { account: STRANGER } }),
  createGroup: ({ alice }, random) => ({
    body: json({ name: 'fuzzed', members: random.below(8) === 0 ? [alice] : [] }),
  }),
  changeChat: (known, random) => ({ ...inChat(known, random), body: json({ timer_ms: 0 }) }),
  addMembers: (known, random) => ({ ...inChat(known, random), body: json({ add: [known.alice] }) }),
  removeMember: ofMember,
  setAdmin: known => ({ ...ofMember(known), body: json({ admin: false }) }),
  setChatPicture: (known, random) => ({ ...inChat(known, random), body: picture }),
  removeChatPicture: inChat,
  createGroupLink: inChat,
  listGroupLinks: inChat,
  revokeGroupLink: (known, random) => ({ params: { chat: random.of(known.chats), token: TOKEN } }),
  listJoinRequests: inChat,
  answerJoinRequest: known => ({ ...ofMember(known), body: json({ add: true }) }),
  askToJoin: () => ({ body: json({ link: GROUP_LINK }) }),
  listAskedJoins: () => ({}),
  forgetAskedJoin: () => ({ params: { account: STRANGER, token: TOKEN } }),
  leaveChat: ({ alice }) => ({ params: { chat: alice } }),
  listMessages: (known, random) => ({
    ...inChat(known, random),
    query: [
      ['before', '9007199254740991'],
      ['limit', '5'],
    ],
  }),
  sendMessage: (known, random) => ({
    ...inChat(known, random),
    body: json({
      text: 'hello',
      reply_to: random.of(known.messages.of('any')).id,
      mentions: [{ user: known.alice, offset: 0, length: 3 }],
      buttons,
    }),
  }),
  sendFile: (known, random) => ({
    ...inChat(known, random),
    body: {
      kind: 'form',
      form: {
        fields: [
          ['caption', 'from the garden'],
          ['kind', random.of(['photo', 'file', 'voice', 'video'])],
          ['duration_ms', '10'],
          ['mentions', JSON.stringify([{ user: known.alice, offset: 0, length: 4 }])],
          ['buttons', JSON.stringify(buttons)],
        ],
        file: PIXEL,
        fileName: 'photo.png',
      },
    },
  }),
  sendAlbum: (known, random) => ({
    ...inChat(known, random),
    body: {
      kind: 'form',
      form: {
        fields: [
          ['caption', 'from the garden'],
          ['kind', random.of(['photo', 'file', 'video'])],
          ['mentions', JSON.stringify([{ user: known.alice, offset: 0, length: 4 }])],
        ],
        file: PIXEL,
        fileName: 'photo.png',
        copies: 1 + random.below(3),
      },
    },
  }),
  forwardMessage: (known, random) => {
    const { chat, id } = random.of(known.messages.of(random.of(['any', 'file'])))
    const from = { chat_id: chat, message_id: id }
    const given = random.of([{}, { copy: true }, { copy: true, caption: '**new**', format: 'markdown' }])
    return { ...inChat(known, random), body: json({ from, ...given, buttons }) }
  },
  getMessage: ofMessage,
  getFile: ({ messages }, random) => {
    const { chat, id } = random.of(messages.of('file'))
    return { params: { chat, msg: id }, headers: [['Range', 'bytes=0-10']] }
  },
  editMessage: (known, random) => ({
    ...ofMessage(known, random),
    body: json({ text: 'edited', mentions: [], buttons: [] }),
  }),
  deleteMessage: (known, random) => ({ ...ofMessage(known, random), query: [['for', 'all']] }),
  setReaction: (known, random) => ({ ...ofMessage(known, random), body: json({ emoji: '👍' }) }),
  removeReaction: ofMessage,
  markRead: (known, random) => ({
    ...inChat(known, random),
    body: json({ up_to: random.of(known.messages.of('any')).id }),
  }),
  sendPoll: (known, random) => ({
    ...inChat(known, random),
    body: json({
      question: 'Which?',
      options: ['this', 'that'],
      multiple: true,
      close_ts: 0,
      mentions: [{ user: known.alice, offset: 0, length: 5 }],
      buttons,
    }),
  }),
  vote: (known, random) => ({ ...ofPoll(known, random), body: json({ options: [0, 1] }) }),
  closePoll: ofPoll,
  answerPress: ({ presses }, random) => ({
    params: { press_id: random.of(presses) },
    body: json({ text: 'On its way' }),
  }),
  getUpdates: (_, random) => ({
    query: [['offset', '0'], ['timeout', '0'], ['limit', '5'], ...(random.below(2) === 0 ? [] : namedReader(random))],
  }),
  streamUpdates: (_, random) => ({
    query: [
      ['reader', random.of(readerNames)],
      ['types', 'message,button'],
      ['from', random.of(['now', 'oldest'])],
    ],
    headers: [['Last-Event-ID', String(random.below(100))]],
  }),
  listReaders: () => ({}),
  confirmUpdates: (_, random) => ({
    params: { reader: random.of(readerNames) },
    body: json({ offset: random.below(1000) }),
  }),
  deleteReader: (_, random) => ({ params: { reader: random.of(readerNames) } }),
  getWebhook: () => ({}),
  // No update is delivered there: fuzzing needs the bot, not a receiver.
  setWebhook: () => ({ body: json({ url: 'http://127.0.0.1:9/', secret: 'a-secret', previous_secret: 'another' }) }),
  removeWebhook: () => ({}),
  pauseWebhook: () => ({}),
  resumeWebhook: () => ({}),
  retryWebhook: () => ({}),
  listHooks: (known, random) => ({ query: [['chat', random.of(known.chats)]] }),
  createHook: (known, random) => ({
    body: json({ chat_id: random.of(known.chats), format: random.of(['alerts', 'pipeline', 'text']) }),
  }),
  deleteHook: ({ spareHooks }, random) => ({ params: { id: random.of(spareHooks) } }),
  postHook: hookPost,
  createToken: (known, random) => ({
    body: json({ name: 'fuzzed', scopes: ['read', 'send'], chats: [random.of(known.chats)] }),
  }),
  listTokens: () => ({}),
  revokeToken: ({ spareTokens }, random) => ({ params: { id: random.of(spareTokens) } }),
  health: () => ({}),
  ready: () => ({}),
  getMetrics: () => ({}),
  getOpenapi: () => ({}),
}

/** Rare ones fill the gateway, or cost much. */
const shares: Partial<Record<EndpointName, number>> = {
  createGroup: 1,
  newInvite: 2,
  setAvatar: 3,
  getOpenapi: 1,
  postHook: 30,
  sendMessage: 20,
  sendFile: 15,
}
const drawn = (Object.keys(make) as EndpointName[]).flatMap(name =>
  Array.from({ length: shares[name] ?? 8 }, () => name),
)

export function rightRequest(known: Known, random: SeededRandom): Right & { name: EndpointName } {
  const name = random.of(drawn)
  const { method, path, open } = endpoints[name] as { method: string; path: string; open?: true }
  const given = make[name](known, random)
  const authorization: [string, string][] = open ? [] : [['Authorization', `Bearer ${known.token}`]]
  return {
    name,
    method,
    path,
    params: given.params ?? {},
    query: given.query ?? [],
    headers: [...authorization, ...(given.headers ?? [])],
    body: given.body ?? none,
  }
}
