// The requests of the demo's bot to the gateway's HTTP API: one function for each kind.

export type Api = { url: string; token: string }

export type BotPerson = { id: string; name: string }
export type BotButton = { text: string; data: string } | { text: string; url: string }
export type BotMessage = {
  id: string
  from: BotPerson
  text?: string
  mentions?: { user: string; offset: number; length: number }[]
  file?: { name: string; type: string; kind: string }
}
export type BotPress = { message_id: string; from: BotPerson; data: string; press_id: string }
export type BotUpdate = { id: number; type: string; chat_id: string; message?: BotMessage; button?: BotPress }
export type BotCommand = { name: string; description: string; args?: string }
export type BotProfile = { id: string; about: string; commands: BotCommand[] }

type CallOptions = { method?: string; body?: object; key?: string; signal?: AbortSignal }

/** Throws on errors that a retry may fix; a refused request is not sent again. */
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

export async function getUpdates(api: Api, offset: number, signal: AbortSignal): Promise<BotUpdate[]> {
  const answer = await call(api, `/updates?offset=${offset}&timeout=30`, { signal })
  return (await answer.json()) as BotUpdate[]
}

/** The place and the reason of an answer: its chat, and the update that it answers. */
export type BotTurn = { api: Api; chat: string; update: number }

/** Repeated requests for the same update are executed once. */
const keyOf = ({ update }: BotTurn): string => `demo-${update}`

type BotText = { text: string; reply_to?: string; buttons?: BotButton[][] }
type BotFile = { file: Blob; name: string; caption?: string; kind?: string; reply_to?: string }

export const say = (turn: BotTurn, body: BotText): Promise<Response> =>
  call(turn.api, `/chats/${turn.chat}/messages`, { body, key: keyOf(turn) })

export const askPoll = (turn: BotTurn, body: { question: string; options: string[] }): Promise<Response> =>
  call(turn.api, `/chats/${turn.chat}/polls`, { body, key: keyOf(turn) })

export const edit = ({ api, chat }: BotTurn, message: string, body: Omit<BotText, 'reply_to'>): Promise<Response> =>
  call(api, `/chats/${chat}/messages/${message}`, { method: 'PATCH', body })

export const toast = (turn: BotTurn, press: string, text: string): Promise<Response> =>
  call(turn.api, `/presses/${press}/answer`, { body: { text }, key: keyOf(turn) })

export async function sendFile(turn: BotTurn, { file, name, ...fields }: BotFile): Promise<Response> {
  const body = new FormData()
  body.append('file', file, name)
  for (const [field, value] of Object.entries(fields)) body.append(field, value)
  return await call(turn.api, `/chats/${turn.chat}/files`, { body, key: keyOf(turn) })
}

export async function fetchFile({ api, chat }: BotTurn, message: string): Promise<Blob> {
  const answer = await call(api, `/chats/${chat}/messages/${message}/file`)
  return await answer.blob()
}
