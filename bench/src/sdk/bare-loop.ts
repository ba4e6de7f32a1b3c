// The same echo bot as a loop over the HTTP API, in a separate process: as short as it can be with keys of its updates.
import type { BotSettings } from '../processes/bot.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'

type Update = { id: number; chat_id: string; message?: { id: string; text?: string } }

const { url, token } = settingsFromParent<BotSettings>()
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const stop = new AbortController()

async function answer({ id, chat_id, message }: Update): Promise<void> {
  if (message?.text === undefined) return
  const sent = await fetch(`${url}/v1/chats/${chat_id}/messages`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': `u${id}` },
    body: JSON.stringify({ text: message.text, reply_to: message.id }),
  })
  await sent.json()
}

async function run(): Promise<void> {
  const place = { offset: 0 }
  const poll = async (query: string, signal?: AbortSignal): Promise<Update[]> =>
    (await (
      await fetch(`${url}/v1/updates?offset=${place.offset}&${query}`, { headers, signal: signal ?? null })
    ).json()) as Update[]
  while (!stop.signal.aborted) {
    for (const update of await poll('timeout=30', stop.signal).catch(() => [])) {
      await answer(update)
      place.offset = update.id + 1
    }
  }
  // Otherwise the bot that has the next turn would answer them again.
  await poll('limit=1')
}

const ended = run()
serveParent({ state: {}, stop: () => stop.abort() })
await ended
