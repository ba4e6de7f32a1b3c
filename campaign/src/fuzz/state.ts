// The state of the gateway, by its parts, for comparison: a refused request has changed nothing of it.
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { FuzzWorld } from './fuzz-world.ts'

type Shown = { id: string; [field: string]: unknown }

/** Without the number of updates that wait and the last failure. */
type TelegramWebhook = { url: string; max_connections?: number; allowed_updates?: string[] }

/** Each object by a name that stays, such as `chats k4stouu7` or `messages ld4it53h`. */
type State = Record<string, unknown>

const NEWEST = 5
const CALM_MS = 1000

/** Without state that others change, read marks and unread counts, and without the end of the last post to a hook. */
export async function stateOf({ api, known }: FuzzWorld): Promise<State> {
  const me = await api('GET', '/v1/me')
  const chats = await api<Shown[]>('GET', '/v1/chats')
  const hooks = await api<Shown[]>('GET', '/v1/hooks')
  const readers = await api<{ name: string }[]>('GET', '/v1/readers')
  const messages = await Promise.all(
    known.chats.map(chat => api<Shown[]>('GET', `/v1/chats/${chat}/messages?limit=${NEWEST}`)),
  )
  const { result: webhook } = await api<{ result: TelegramWebhook }>('GET', `/bot${known.token}/getWebhookInfo`)
  const { url, max_connections, allowed_updates } = webhook
  return {
    me,
    telegram: { url, max_connections, allowed_updates },
    ...named(
      'chats',
      chats.map(chat => ({ ...chat, unread: undefined })),
    ),
    ...named(
      'hooks',
      hooks.map(({ id, chat_id: chat, format, ts }) => ({ id, chat, format, ts })),
    ),
    readers: readers.map(({ name }) => name),
    ...named(
      'messages',
      messages.flat().map(message => ({ ...message, status: undefined })),
    ),
  }
}

const named = (kind: string, objects: Shown[]): State =>
  Object.fromEntries(objects.map(object => [`${kind} ${object.id}`, object]))

/** The same twice, with a pause between: requests on a connection that ended early may still be carried out. */
export async function whenCalm(world: FuzzWorld): Promise<void> {
  for (let before = await stateOf(world); ; ) {
    await pause(CALM_MS)
    const after = await stateOf(world)
    if (isDeepStrictEqual(before, after)) return
    before = after
  }
}

/** One line for each object that is not the same; none if nothing has changed. */
export function changes(before: State, after: State): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .filter(name => !isDeepStrictEqual(before[name], after[name]))
    .map(name => `${name}: ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`)
}
