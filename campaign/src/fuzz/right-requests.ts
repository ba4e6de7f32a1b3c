// One valid request for every endpoint of the table, to be mutated: an endpoint without one does not compile.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EndpointName, endpoints } from '@postern/bot-api'
import type { SeededRandom } from '@postern/testkit'
import type { Known } from './known.ts'
import type { Json } from './nasty-values.ts'

export type Form = { fields: [name: string, value: string][]; file: Uint8Array; fileName: string }
export type Body =
  | { kind: 'none' }
  | { kind: 'json'; value: Json }
  | { kind: 'form'; form: Form }
  | { kind: 'bytes'; type: string; bytes: Uint8Array }

export type Right = {
  name: EndpointName
  method: string
  /** As in the table, with the values of its parameters. */
  path: string
  params: Record<string, string>
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body: Body
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const none: Body = { kind: 'none' }
const json = (value: Json): Body => ({ kind: 'json', value })
type Given = Partial<Pick<Right, 'params' | 'query' | 'headers' | 'body'>>
type Make = (known: Known, random: SeededRandom) => Given

const inChat = (known: Known, random: SeededRandom) => ({ params: { chat: random.of(known.chats) } })
const ofMessage = ({ messages }: Known, random: SeededRandom) => {
  const { chat, id } = random.of(messages.of('any'))
  return { params: { chat, msg: id } }
}
const ofPoll = ({ messages }: Known, random: SeededRandom) => {
  const { chat, id } = random.of(messages.of('poll'))
  return { params: { chat, msg: id } }
}

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
  setAvatar: () => ({ body: { kind: 'bytes', type: 'image/png', bytes: PIXEL } }),
  listChats: () => ({}),
  getChat: inChat,
  acceptChat: inChat,
  getSafetyNumber: ({ alice }) => ({ params: { account: alice } }),
  createGroup: ({ alice }, random) => ({
    body: json({ name: 'fuzzed', members: random.below(8) === 0 ? [alice] : [] }),
  }),
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
      buttons: [
        [
          { text: 'Yes', data: 'yes' },
          { text: 'Look', url: 'https://example.org/' },
        ],
      ],
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
        ],
        file: PIXEL,
        fileName: 'photo.png',
      },
    },
  }),
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
    body: json({ question: 'Which?', options: ['this', 'that'], multiple: true, close_ts: 0 }),
  }),
  vote: (known, random) => ({ ...ofPoll(known, random), body: json({ options: [0, 1] }) }),
  closePoll: ofPoll,
  answerPress: ({ presses }, random) => ({
    params: { press_id: random.of(presses) },
    body: json({ text: 'On its way' }),
  }),
  getUpdates: () => ({
    query: [
      ['offset', '0'],
      ['timeout', '0'],
      ['limit', '5'],
    ],
  }),
  getWebhook: () => ({}),
  listHooks: (known, random) => ({ query: [['chat', random.of(known.chats)]] }),
  createHook: (known, random) => ({
    body: json({ chat_id: random.of(known.chats), format: random.of(['alerts', 'pipeline', 'text']) }),
  }),
  deleteHook: ({ spareHooks }, random) => ({ params: { id: random.of(spareHooks) } }),
  postHook: hookPost,
  health: () => ({}),
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

export function rightRequest(known: Known, random: SeededRandom): Right {
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
