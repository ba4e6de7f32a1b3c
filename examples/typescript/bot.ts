// Code that the other examples share: calls that are retried until they are answered, and a loop that loses and doubles
// nothing.
import { setTimeout as pause } from 'node:timers/promises'

const { POSTERN_URL = 'http://127.0.0.1:8080', POSTERN_TOKEN = '' } = process.env
const CALL_MS = 60_000

export type Person = { id: string; name: string; bot?: boolean }
export type Message = {
  id: string
  from: Person
  /** When the relay accepted it: the same at every look. */
  ts: number
  text?: string
  reply_to?: string
  buttons?: { text: string; data: string }[][]
  file?: { name: string }
  poll?: { question: string; closed: boolean; options: { text: string; votes: number }[] }
}
/** There are more types and more fields: ignore those that you do not know. */
export type Update = { id: number; chat_id: string } & (
  | { type: 'message' | 'poll'; message: Message }
  | { type: 'button'; button: { message_id: string; press_id: string; from: Person; data: string } }
)

/** The gateway refused the request, and would refuse it again. */
class Refused extends Error {}

export function api(path: string, request: RequestInit = {}): Promise<Response> {
  const headers = { ...request.headers, authorization: `Bearer ${POSTERN_TOKEN}` }
  // Without this option, fetch rejects a streaming body.
  const asked = { ...request, headers, duplex: 'half' }
  return fetch(`${POSTERN_URL}/v1/${path}`, asked)
}

/** Retries until it is answered: the gateway may just be starting, or its relay may be unreachable. */
export async function untilAnswered<Answer>(ask: () => Promise<Response>): Promise<Answer> {
  for (;;) {
    let waitSec = 1
    try {
      const answer = await ask()
      const text = await answer.text()
      if (answer.ok) return JSON.parse(text) as Answer
      if (answer.status < 500 && answer.status !== 429) throw new Refused(text)
      waitSec = Number(answer.headers.get('retry-after')) || 1
      console.error(text)
    } catch (error) {
      if (error instanceof Refused) throw error
      console.error(String(error instanceof Error ? (error.cause ?? error) : error))
    }
    await pause(waitSec * 1000)
  }
}

type Call = {
  method?: 'PATCH' | 'PUT'
  body?: object
  /**
   * A request that is repeated under its key, even after a restart, is executed once. Derive the key from the update
   * that you answer.
   */
  key?: string
}

export function call<Answer>(path: string, { method, body, key }: Call = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
  const request = body ? { method: method ?? 'POST', headers, body: JSON.stringify(body) } : {}
  return untilAnswered(() => api(path, { ...request, signal: AbortSignal.timeout(CALL_MS) }))
}

/** For `catch`: prints a refusal to standard error, and throws anything else again. */
export function sayRefusal(error: unknown): void {
  if (!(error instanceof Refused)) throw error
  console.error(error.message)
}

/** One update after the other, until the process is killed. After a refusal it continues with the next one. */
export async function handleUpdates(handle: (update: Update) => Promise<unknown>): Promise<never> {
  for (let offset = 0; ; ) {
    for (const update of await call<Update[]>(`updates?offset=${offset}&timeout=30`)) {
      await handle(update).catch(sayRefusal)
      // Only now: the next request confirms the updates below the offset, and they never come again.
      offset = update.id + 1
    }
  }
}
