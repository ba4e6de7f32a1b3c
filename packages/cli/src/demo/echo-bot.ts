// The demo's bot program: answers every text with the same text. It knows the gateway's HTTP API and nothing else of us.
import { setTimeout as wait } from 'node:timers/promises'

type Person = { id: string; name: string }
type Update = { id: number; type: string; chat_id: string; message?: { id: string; from: Person; text?: string } }

export type Api = { url: string; token: string }

const POLL_SEC = 30
const RETRY_MS = 1000

/** Until the signal, which ends the waiting for updates; an answer that is being sent is sent. */
export async function runEchoBot(api: Api, stop: AbortSignal, onEcho: (to: Person) => void): Promise<void> {
  let offset = 0
  while (!stop.aborted) {
    try {
      for (const update of await getUpdates(api, offset, stop)) {
        if (update.type === 'message') await echo(api, update, onEcho)
        // The next request confirms what is below the offset: an update is done when it has been answered.
        offset = update.id + 1
      }
    } catch {
      await wait(RETRY_MS, undefined, { signal: stop }).catch(() => undefined)
    }
  }
  // Without a last word the updates that were answered would come again, and be answered twice.
  if (offset > 0) await call(api, `/v1/updates?offset=${offset}&limit=1`, {})
}

async function getUpdates(api: Api, offset: number, stop: AbortSignal): Promise<Update[]> {
  const answer = await call(api, `/v1/updates?offset=${offset}&timeout=${POLL_SEC}`, { signal: stop })
  return (await answer.json()) as Update[]
}

async function echo(api: Api, { chat_id, message }: Update, onEcho: (to: Person) => void): Promise<void> {
  if (message?.text === undefined) return
  const body = JSON.stringify({ text: message.text, reply_to: message.id })
  const answer = await call(api, `/v1/chats/${chat_id}/messages`, { method: 'POST', body })
  if (answer.ok) onEcho(message.from)
}

/** Throws on what a later try may cure; a request that was refused is not sent again. */
async function call({ url, token }: Api, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}${path}`, { ...init, headers })
  if (answer.status >= 500) throw new Error(`${path} answered ${answer.status}`)
  return answer
}
