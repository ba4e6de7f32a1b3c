// The minimum cost of delivery: the lines of a file, each signed and posted when the previous one was answered.
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { serveParent, settingsFromParent } from '../processes/parent.ts'

export type DeliveriesSettings = { path: string; url: string; secret: string }

const { path, url, secret } = settingsFromParent<DeliveriesSettings>()
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

function post(body: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-service-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  const sent = request(url, { method: 'POST', agent, headers }, answer => {
    answer.resume()
    answer.on('end', resolve)
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

serveParent({ state: {}, stop: () => agent.destroy() })
for (const line of readFileSync(path, 'utf8').split('\n')) await post(line)
