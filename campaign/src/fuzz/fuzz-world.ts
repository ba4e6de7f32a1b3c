// The relay, the gateway and the person under test, as separate processes, with something of every kind between them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { HookFormat } from '@postern/bot-api'
import { freePort } from '@postern/testkit/free-port'
import { GatewayProcess, type Killable, PersonProcess, RelayProcess } from '@postern/testkit/processes'
import { type Known, KnownMessages } from './known.ts'

export type FuzzWorld = {
  relay: RelayProcess
  gateway: GatewayProcess
  alice: PersonProcess
  bot: string
  known: Known
  parts: Record<string, Killable>
  /** Lines of the gateway's log that have its token. */
  leaks: string[]
  api<Answer>(method: string, path: string, body?: object | FormData): Promise<Answer>
}

const LEAKS_MAX = 10
const HOOKS_URL = 'http://hooks.example'
const STALL_PROBE = new URL('./stall-probe.mjs', import.meta.url)
/** One sender sends a day's messages of thousands of people in minutes. */
const limits = [
  'newPeoplePerDay',
  'bytesPerDayMax',
  'newAccountBytesPerDayMax',
  'takesPerMinute',
  'takesPerTargetPerMinute',
  'blobsPerDayMax',
  'registrationsPerAddressPerHour',
  'registrationsPerMinute',
  'mailboxEntriesPerSenderMax',
  'mailboxEntriesMax',
].flatMap(name => ['--limit', `${name}=100000000000`])

export async function startFuzzWorld(home: string): Promise<FuzzWorld> {
  const place = async (name: string) => ({ directory: join(home, name), port: await freePort() })
  const relay = new RelayProcess(await place('relay'), limits)
  relay.start()
  await relay.listening()
  const gateway = new GatewayProcess(await place('gateway'), relay.url)
  gateway.life = {
    env: { HOOKS_URL, TELEGRAM_API: 'on', LOG_LEVEL: 'debug' },
    nodeFlags: [`--import=${STALL_PROBE}`],
  }
  const leaks: string[] = []
  gateway.onLine = line => void (line.includes(gateway.token) && leaks.length < LEAKS_MAX && leaks.push(line))
  gateway.start()
  await gateway.listening()
  const alice = new PersonProcess('alice', { directory: join(home, 'alice'), relayUrl: relay.url })
  alice.start()
  const api = callerOf(gateway)
  const me = await registered(api)
  const known = await makeKnown({ api, alice, gateway, me })
  return { relay, gateway, alice, bot: me.id, known, parts: { relay, gateway, alice }, leaks, api }
}

export async function stopFuzzWorld({ parts }: Pick<FuzzWorld, 'parts'>): Promise<void> {
  for (const part of Object.values(parts)) await part.kill()
}

function callerOf({ url, token }: GatewayProcess): FuzzWorld['api'] {
  return async <Answer>(method: string, path: string, body?: object | FormData) => {
    const isJson = body !== undefined && !(body instanceof FormData)
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(isJson && { 'content-type': 'application/json' }) },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const content = (await answer.json()) as Answer
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(content)}`)
    return content
  }
}

type Me = { id: string; invite_url: string }

async function registered(api: FuzzWorld['api']): Promise<Me> {
  for (;;) {
    const me = await api<Me>('GET', '/v1/me').catch(() => undefined)
    if (me) return me
    await pause(20)
  }
}

type Beginning = { api: FuzzWorld['api']; alice: PersonProcess; gateway: GatewayProcess; me: Me }

async function makeKnown({ api, alice, gateway, me }: Beginning): Promise<Known> {
  const account = await alice.ready()
  await alice.do('open', { invite: me.invite_url })
  const group = await api<{ id: string }>('POST', '/v1/groups', { name: 'all', members: [account] })
  const chat = `/v1/chats/${account}`
  const messages = new KnownMessages()
  const text = await api<{ id: string }>('POST', `${chat}/messages`, {
    text: 'Press',
    buttons: [[{ text: 'Yes', data: 'yes' }]],
  })
  messages.add('text', { chat: account, id: text.id })
  const poll = await api<{ id: string }>('POST', `${chat}/polls`, { question: 'Which?', options: ['this', 'that'] })
  messages.add('poll', { chat: account, id: poll.id })
  const form = new FormData()
  form.set('file', new Blob(['words']), 'words.txt')
  const file = await api<{ id: string }>('POST', `${chat}/files`, form)
  messages.add('file', { chat: account, id: file.id })
  const telegramMessages = await sentOverTelegram({ api, token: gateway.token, account })
  const presses = [await pressOf({ api, alice, message: text.id, bot: me.id })]
  const hooks: Known['hooks'] = []
  for (const format of ['alerts', 'pipeline', 'text'] as HookFormat[]) {
    const { url } = await api<{ url: string }>('POST', '/v1/hooks', { chat_id: account, format })
    hooks.push({ secret: url.split('/').at(-1) ?? '', format })
  }
  const spare = await api<{ id: string }>('POST', '/v1/hooks', { chat_id: account, format: 'text' })
  const invite = await api<{ id: string }>('POST', '/v1/invites', { payload: 'ticket-4711' })
  const chats = [account, group.id]
  const spares = { spareHooks: [spare.id], spareInvites: [invite.id], spareTokens: ['aaaaaaaa'] }
  return { token: gateway.token, alice: account, chats, messages, telegramMessages, presses, hooks, ...spares }
}

type TelegramBeginning = { api: FuzzWorld['api']; token: string; account: string }

async function sentOverTelegram({ api, token, account }: TelegramBeginning): Promise<KnownMessages> {
  const known = new KnownMessages()
  const form = new FormData()
  form.set('chat_id', account)
  form.set('document', new Blob(['words']), 'words.txt')
  const bodies = {
    text: ['sendMessage', { chat_id: account, text: 'Hello' }],
    poll: ['sendPoll', { chat_id: account, question: 'Which?', options: ['this', 'that'] }],
    file: ['sendDocument', form],
  } as const
  for (const kind of ['text', 'poll', 'file'] as const) {
    const [method, body] = bodies[kind]
    const { result } = await api<TelegramSent>('POST', `/bot${token}/${method}`, body)
    known.add(kind, { chat: String(result.chat.id), id: String(result.message_id) })
  }
  return known
}

export type TelegramSent = { result: { message_id: number; chat: { id: number } } }

type Pressing = { api: FuzzWorld['api']; alice: PersonProcess; message: string; bot: string }

async function pressOf({ api, alice, message, bot }: Pressing): Promise<string> {
  for (;;) {
    const shown = await alice.do<{ id: string }[]>('messages', { chat: bot, limit: 100 })
    if (shown.some(({ id }) => id === message)) break
    await pause(20)
  }
  await alice.do('press', { chat: bot, message, data: 'yes' })
  for (;;) {
    const updates = await api<{ button?: { press_id: string } }[]>('GET', '/v1/updates?timeout=1')
    const pressed = updates.find(({ button }) => button)?.button
    if (pressed) return pressed.press_id
  }
}

/** A message from the bot reaches alice, and hers the bot: through every part. */
export async function goesOn({ api, alice, known, bot }: FuzzWorld, mark: string): Promise<void> {
  const sent = await api<{ id: string }>('POST', `/v1/chats/${known.alice}/messages`, { text: `bot ${mark}` })
  const answer = await alice.do<{ id: string }>('send', { chat: bot, text: `alice ${mark}` })
  while (!(await alice.do<{ id: string }[]>('messages', { chat: bot, limit: 100 })).some(({ id }) => id === sent.id))
    await pause(20)
  const path = `/v1/chats/${known.alice}/messages?limit=100`
  while (!(await api<{ id: string }[]>('GET', path)).some(({ id }) => id === answer.id)) await pause(20)
}

/** The resident memory of a part. */
export function residentBytes({ pid }: Killable): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
  return Number(pages) * 4096
}
