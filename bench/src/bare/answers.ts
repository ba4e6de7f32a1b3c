// node:http with prepared answers: GET /7 returns the eighth line of a file. With a ledger, it syncs one first.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import { Ledger } from './ledger.ts'

export type AnswersSettings = { path: string; ledger?: string }

const settings = settingsFromParent<AnswersSettings>()
const lines = readFileSync(settings.path, 'utf8').split('\n')
const ledger = new Ledger(settings.ledger)

async function answer(url: string, response: ServerResponse): Promise<void> {
  await ledger.keep(url)
  response.setHeader('content-type', 'application/json')
  response.end(lines[Number(url.slice(1))])
}

const server = createServer(({ url = '/' }, response) => void answer(url, response))
// During the turns of other sides there are no requests: a connection closed meanwhile would break the next request.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  stop: () => {
    server.close()
    server.closeAllConnections()
    ledger.close()
  },
})
