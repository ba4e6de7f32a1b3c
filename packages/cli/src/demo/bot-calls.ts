// What the demo's bot asks of the gateway's HTTP API: one function for each kind of request.

export type Api = { url: string; token: string }

export type Person = { id: string; name: string }
export type Button = { text: string; data: string } | { text: string; url: string }
export type Message = {
  id: string
  from: Person
  text?: string
  mentions?: { user: string; offset: number; length: number }[]
  file?: { name: string; type: string; kind: string }
}
export type Press = { message_id: string; from: Person; data: string; press_id: string }
export type Update = { id: number; type: string; chat_id: string; message?: Message; button?: Press }
export type BotCommand = { name: string; description: string; args?: string }
export type Me = { id: string; about: string; commands: BotCommand[] }

type CallOptions = { method?: string; body?: object; key?: string; signal?: AbortSignal }

/** Throws on what a later try may cure; a request that was refused is not sent again. */
export async function call(api: Api, path: string, { method, body, key, signal }: CallOptions = {}): Promise<Response> {
  const isForm = body instanceof FormData
  const answer = await fetch(`${api.url}/v1${path}`, {
    method: method ?? (body ? 'POST' : 'GET'),
    headers: {
      authorization: `Bearer ${api.token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}`)
  return answer
}

export async function getUpdates(api: Api, offset: number, signal: AbortSignal): Promise<Update[]> {
  const answer = await call(api, `/updates?offset=${offset}&timeout=30`, { signal })
  return (await answer.json()) as Update[]
}

/** Where and why the bot speaks: in which chat, and which update it answers. */
export type Turn = { api: Api; chat: string; update: number }

/** What is sent again for the same update is sent once. */
const keyOf = ({ update }: Turn): string => `demo-${update}`

type NewText = { text: string; reply_to?: string; buttons?: Button[][] }
type NewFile = { file: Blob; name: string; caption?: string; kind?: string; reply_to?: string }

export const say = (turn: Turn, body: NewText): Promise<Response> =>
  call(turn.api, `/chats/${turn.chat}/messages`, { body, key: keyOf(turn) })

export const askPoll = (turn: Turn, body: { question: string; options: string[] }): Promise<Response> =>
  call(turn.api, `/chats/${turn.chat}/polls`, { body, key: keyOf(turn) })

export const edit = ({ api, chat }: Turn, message: string, body: Omit<NewText, 'reply_to'>): Promise<Response> =>
  call(api, `/chats/${chat}/messages/${message}`, { method: 'PATCH', body })

export const toast = (turn: Turn, press: string, text: string): Promise<Response> =>
  call(turn.api, `/presses/${press}/answer`, { body: { text }, key: keyOf(turn) })

export async function sendFile(turn: Turn, { file, name, ...fields }: NewFile): Promise<Response> {
  const body = new FormData()
  body.append('file', file, name)
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  return await call(turn.api, `/chats/${turn.chat}/files`, { body, key: keyOf(turn) })
}

export async function fetchFile({ api, chat }: Turn, message: string): Promise<Blob> {
  const answer = await call(api, `/chats/${chat}/messages/${message}/file`)
  return await answer.blob()
}
