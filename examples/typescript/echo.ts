// Echo: repeats every text that people write to it. It needs no other file; Node 24 runs it directly.
import { setTimeout as pause } from 'node:timers/promises'

const { POSTERN_URL = 'http://127.0.0.1:8080', BOT_TOKEN = '' } = process.env

type Message = { id: string; from: { id: string; bot?: boolean }; text?: string }
type Update = { id: number; type: string; chat_id: string; message?: Message }

class Refused extends Error {}

/** Retries until it is answered: the gateway may just be starting, or its relay may be unreachable. */
async function call(path: string, request: RequestInit = {}): Promise<unknown> {
  for (;;) {
    let waitSec = 1
    try {
      const headers = { ...request.headers, authorization: `Bearer ${BOT_TOKEN}` }
      const signal = AbortSignal.timeout(60_000)
      const answer = await fetch(`${POSTERN_URL}/v1/${path}`, { ...request, headers, signal })
      const text = await answer.text()
      if (answer.ok) return JSON.parse(text)
      if (answer.status < 500 && answer.status !== 429) throw new Refused(`${path}: ${text}`)
      waitSec = Number(answer.headers.get('retry-after')) || 1
      console.error(`${path}: ${text}`)
    } catch (error) {
      if (error instanceof Refused) throw error
      console.error(`${path}: ${String(error instanceof Error ? (error.cause ?? error) : error)}`)
    }
    await pause(waitSec * 1000)
  }
}

async function answer({ id, type, chat_id, message }: Update): Promise<void> {
  if (type !== 'message' || message?.text === undefined) return
  // Two bots that answer each other would never stop; and in a group people talk to each other.
  if (message.from.bot || chat_id !== message.from.id) return
  await call(`chats/${chat_id}/messages`, {
    method: 'POST',
    // Derived from the update's id: after a restart the same answer has the same key, and is not sent again.
    headers: { 'content-type': 'application/json', 'idempotency-key': `echo-${id}` },
    body: JSON.stringify({ text: message.text, reply_to: message.id }),
  }).catch((refused: unknown) => console.error(String(refused)))
}

for (let offset = 0; ; ) {
  const updates = (await call(`updates?offset=${offset}&timeout=30`)) as Update[]
  for (const update of updates) {
    await answer(update)
    // Only now: the next request confirms the updates below the offset, and they never come again.
    offset = update.id + 1
  }
}
