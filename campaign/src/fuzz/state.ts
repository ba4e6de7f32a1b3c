// The state of the gateway, as a text for comparison: a refused request has changed nothing of it.
import type { FuzzWorld } from './fuzz-world.ts'

type Shown = { id: string; [field: string]: unknown }

const NEWEST = 5

/** Without state that others change: read marks and unread counts. */
export async function stateOf({ api, known }: FuzzWorld): Promise<string> {
  const me = await api('GET', '/v1/me')
  const chats = await api<Shown[]>('GET', '/v1/chats')
  const hooks = await api<Shown[]>('GET', '/v1/hooks')
  const messages = await Promise.all(
    known.chats.map(chat => api<Shown[]>('GET', `/v1/chats/${chat}/messages?limit=${NEWEST}`)),
  )
  return JSON.stringify({
    me,
    chats: chats.map(chat => ({ ...chat, unread: undefined })),
    hooks,
    messages: messages.flat().map(message => ({ ...message, status: undefined })),
  })
}
