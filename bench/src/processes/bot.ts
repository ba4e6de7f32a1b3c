// An operator's echo bot in a process of its own: long poll, one POST for each update, and on when all are answered.
import { Agent, request } from 'node:http'
import { serveParent, settingsFromParent } from './parent.ts'

export type BotSettings = { url: string; token: string }
type Update = { id: number; type: string; chat_id: string; message?: { text?: string } }

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

async function echo({ chat_id, message }: Update): Promise<void> {
  if (message?.text === undefined) return
  await call('POST', `/v1/chats/${chat_id}/messages`, JSON.stringify({ text: message.text }))
}

async function run(): Promise<void> {
  let offset = 0
  for (;;) {
    const updates = JSON.parse(await call('GET', `/v1/updates?offset=${offset}&timeout=30`)) as Update[]
    await Promise.all(updates.map(echo))
    offset = (updates.at(-1)?.id ?? offset - 1) + 1
  }
}

serveParent({ state: {}, stop: () => stop.abort() })
await run().catch((error: unknown) => {
  if (!stop.signal.aborted) throw error
})
agent.destroy()
