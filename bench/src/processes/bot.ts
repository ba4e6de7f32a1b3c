// An operator's bot in a separate process: echoes texts and answers presses. A long poll, one POST for each update, and
// the next poll when all are answered.
import { Agent, request } from 'node:http'
import { serveParent, settingsFromParent } from './parent.ts'
import { sharedNowMs } from './shared-clock.ts'
import { WHEN } from './timed-trips.ts'

export type BotSettings = { url: string; token: string }
type Update = { id: number; chat_id: string; message?: { text?: string }; button?: { press_id: string } }

const { url, token } = settingsFromParent<BotSettings>()
const agent = new Agent({ keepAlive: true })
const stop = new AbortController()

function call(method: string, path: string, body?: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = request(new URL(path, url), { method, agent, headers, signal: stop.signal }, answer => {
    let text = ''
    answer.setEncoding('utf8')
    answer.on('data', (part: string) => (text += part))
    answer.on('end', () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))))
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

async function react({ chat_id, message, button }: Update, toldAtMs: number): Promise<void> {
  if (button) await call('POST', `/v1/presses/${button.press_id}/answer`, JSON.stringify({ text: `${toldAtMs}` }))
  if (message?.text === undefined) return
  const text = message.text.startsWith(WHEN) ? `${message.text} ${toldAtMs}` : message.text
  await call('POST', `/v1/chats/${chat_id}/messages`, JSON.stringify({ text }))
}

async function run(): Promise<void> {
  let offset = 0
  for (;;) {
    const answer = await call('GET', `/v1/updates?offset=${offset}&timeout=30`)
    const toldAtMs = sharedNowMs()
    const updates = JSON.parse(answer) as Update[]
    await Promise.all(updates.map(update => react(update, toldAtMs)))
    offset = (updates.at(-1)?.id ?? offset - 1) + 1
  }
}

serveParent({ state: {}, stop: () => stop.abort() })
await run().catch((error: unknown) => {
  if (!stop.signal.aborted) throw error
})
agent.destroy()
