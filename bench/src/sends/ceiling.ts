// The most that a gateway on Node could send: node:http, one MLS encryption, one synced insert for all of a turn, no relay.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3-multiple-ciphers'
import { makeMlsPair } from '../crypto/mls-pair.ts'
import { encryptMessage } from '../inside.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'

export type CeilingSettings = { path: string }

const db = new Database(settingsFromParent<CeilingSettings>().path)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE sent (num INTEGER PRIMARY KEY, wire BLOB NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO sent (wire) VALUES (?)')
const insertAll = db.transaction((wires: Uint8Array[]) => wires.map(wire => Number(insert.run(wire).lastInsertRowid)))

let { alice } = await makeMlsPair()
let lane: Promise<unknown> = Promise.resolve()
let waiting: { wire: Uint8Array; resolve: (num: number) => void }[] = []

/** In a lane: each encryption goes on from the state that the last one left. */
function encrypt(text: string): Promise<Uint8Array> {
  const turn = lane.then(async () => {
    const { session, wire } = await encryptMessage(alice, Buffer.from(text))
    alice = session
    return wire
  })
  lane = turn
  return turn
}

function keep(wire: Uint8Array): Promise<number> {
  return new Promise(resolve => {
    waiting.push({ wire, resolve })
    if (waiting.length === 1) setImmediate(flush)
  })
}

function flush(): void {
  const batch = waiting
  waiting = []
  const nums = insertAll(batch.map(({ wire }) => wire))
  for (const [at, { resolve }] of batch.entries()) resolve(nums[at] ?? 0)
}

async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { text } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { text: string }
  const num = await keep(await encrypt(text))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: num, text }))
}

const server = createServer((request, response) => void post(request, response))
// While other sides have their turn, nobody asks: a connection that is closed then breaks the next request.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  stop: () => {
    server.close()
    server.closeAllConnections()
    db.close()
  },
})
