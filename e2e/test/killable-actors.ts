// Actors while processes are killed: people through their lines, the bot through HTTP, behind one interface.
import type { Message } from '@postern/bot-api/objects'
import type { GatewayProcess, PersonProcess } from '@postern/testkit/processes'

type At = { chat: string; message: string }
export type Deed =
  | { kind: 'say'; chat: string; text: string }
  | ({ kind: 'edit'; text: string } & At)
  | ({ kind: 'erase' } & At)
  /** An empty emoji withdraws the reaction. */
  | ({ kind: 'react'; emoji: string } & At)
  | { kind: 'read'; chat: string }
  | { kind: 'poll'; chat: string; question: string; options: string[] }
  | ({ kind: 'vote'; options: number[] } & At)
  | ({ kind: 'close' } & At)

/** `in-doubt`: the outcome is unknown, and the others may see it or not. */
export type Outcome = { kind: 'done'; ok: unknown } | { kind: 'refused' } | { kind: 'in-doubt' }

export interface Actor {
  readonly id: string
  readonly name: string
  act(deed: Deed): Promise<Outcome>
  /** The whole chat, oldest first; throws while the process is down. */
  list(chat: string): Promise<Message[]>
  timerMs(chat: string): Promise<number>
}

const PAGE = 100

export function personActor(person: PersonProcess, id: string): Actor {
  return {
    id,
    name: person.name,
    act: async deed => {
      await person.ready()
      const answer = await person.ask(...lineOf(deed))
      if (answer.kind === 'ok') return { kind: 'done', ok: answer.ok }
      return answer.kind === 'error' ? outcomeOf(answer.code, answer.error) : { kind: 'in-doubt' }
    },
    list: chat =>
      allPages(async before => {
        // Nobody reads or answers a line that is written between two lives.
        await person.ready()
        return await person.do<Message[]>('messages', { chat, limit: PAGE, before })
      }),
    timerMs: async chat => {
      await person.ready()
      const chats = await person.do<{ id: string; timer_ms: number }[]>('chats')
      return chats.find(row => row.id === chat)?.timer_ms ?? 0
    },
  }
}

function lineOf(deed: Deed): [command: string, fields: object] {
  const { kind, ...fields } = deed
  switch (kind) {
    case 'say':
      return ['send', fields]
    case 'erase':
      return ['delete', { ...fields, for: 'all' }]
    case 'edit':
    case 'react':
    case 'read':
    case 'poll':
    case 'vote':
    case 'close':
      return [kind, fields]
  }
}

export function botActor({ url, token }: GatewayProcess, id: string): Actor {
  const call = async ({ method, path, body }: Request) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const answer = await fetch(`${url}/v1/chats/${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { isOk: answer.ok, body: (await answer.json()) as { code: string; error: string } }
  }
  const get = async <Ok>(path: string): Promise<Ok> => {
    const { isOk, body } = await call({ method: 'GET', path })
    if (!isOk) throw new Error(`bot: ${path}: ${JSON.stringify(body)}`)
    return body as Ok
  }
  return {
    id,
    name: 'bot',
    act: async deed => {
      // The gateway was killed before its answer.
      const answer = await call(requestOf(deed)).catch(() => undefined)
      if (!answer) return { kind: 'in-doubt' }
      return answer.isOk ? { kind: 'done', ok: answer.body } : outcomeOf(answer.body.code, answer.body.error)
    },
    list: chat =>
      allPages(before => get<Message[]>(`${chat}/messages?limit=${PAGE}${before ? `&before=${before}` : ''}`)),
    timerMs: async chat => (await get<{ timer_ms: number }>(chat)).timer_ms,
  }
}

type Request = { method: string; path: string; body?: object }

function requestOf(deed: Deed): Request {
  const path = `${deed.chat}/messages${'message' in deed ? `/${deed.message}` : ''}`
  switch (deed.kind) {
    case 'say':
      return { method: 'POST', path, body: { text: deed.text } }
    case 'edit':
      return { method: 'PATCH', path, body: { text: deed.text } }
    case 'erase':
      return { method: 'DELETE', path }
    case 'react':
      if (deed.emoji === '') return { method: 'DELETE', path: `${path}/reaction` }
      return { method: 'PUT', path: `${path}/reaction`, body: { emoji: deed.emoji } }
    case 'read':
      return { method: 'POST', path: `${deed.chat}/read`, body: {} }
    case 'poll':
      return { method: 'POST', path: `${deed.chat}/polls`, body: { question: deed.question, options: deed.options } }
    case 'vote':
      return { method: 'POST', path: `${path}/vote`, body: { options: deed.options } }
    case 'close':
      return { method: 'POST', path: `${path}/close` }
  }
}

/** They depend on the time of arrival. */
const refusals = new Set(['The poll is closed.', 'The press is older than one minute and can no longer be answered.'])

export function outcomeOf(code: string, error: string): Outcome {
  if (code === 'unavailable') return { kind: 'in-doubt' }
  if (code === 'not_found' || refusals.has(error)) return { kind: 'refused' }
  throw new Error(`unexpected answer ${code}: ${error}`)
}

async function allPages(page: (before: number | undefined) => Promise<Message[]>): Promise<Message[]> {
  const all: Message[] = []
  for (;;) {
    const older = await page(all[0]?.ts)
    all.unshift(...older)
    if (older.length < PAGE) return all
  }
}
