// The gateway's hop and nothing else: node:http with a long poll and a POST, and a socket to the bare relay.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import type { BareSettings } from './frame.ts'
import { RelaySocket } from './relay-socket.ts'

const { httpPort, ...settings } = settingsFromParent<BareSettings & { httpPort: number }>()
let updates: { id: number; type: string; chat_id: string; message: { text: string } }[] = []
let poller: ServerResponse | undefined
let lastId = 0

const relay = new RelaySocket(settings, ({ from, text }) => {
  updates.push({ id: ++lastId, type: 'message', chat_id: from, message: { text } })
  // All updates of this turn go in one answer.
  if (updates.length === 1) setImmediate(answerPoller)
})

function answerPoller(): void {
  if (!poller || updates.length === 0) return
  poller.end(JSON.stringify(updates))
  poller = undefined
  updates = []
}

async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { text } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { text: string }
  await relay.send({ to: request.url?.split('/')[3] ?? '', text })
  response.end(JSON.stringify({ text }))
}

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  if (request.method === 'POST') return void post(request, response)
  if (request.url === '/healthz') return void response.end('{}')
  poller = response
  answerPoller()
})
// During the turns of other sides there are no requests: a connection closed meanwhile would break the next request.
server.keepAliveTimeout = 0
server.listen(httpPort, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  stop: () => {
    server.close()
    server.closeAllConnections()
    relay.close()
  },
})
