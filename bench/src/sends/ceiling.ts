// The most that a gateway on Node could send: node:http, a signature and a cipher, one synced insert per turn, and a
// hop to a relay that syncs a file.
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Database from 'better-sqlite3-multiple-ciphers'
import { RelaySocket } from '../bare/relay-socket.ts'
import { makeNodeProvider } from '../inside.ts'
import { serveParent, settingsFromParent } from '../processes/parent.ts'

export type CeilingSettings = { path: string; relayPort: number }

const settings = settingsFromParent<CeilingSettings>()
const relay = new RelaySocket({ port: settings.relayPort, name: 'ceiling' }, () => undefined)
const db = new Database(settings.path)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.exec('CREATE TABLE sent (num INTEGER PRIMARY KEY, wire BLOB NOT NULL) STRICT')
const insert = db.prepare('INSERT INTO sent (wire) VALUES (?)')
const insertAll = db.transaction((wires: Uint8Array[]) => wires.map(wire => Number(insert.run(wire).lastInsertRowid)))

/** With the same Ed25519 as the gateway here. */
const provider = makeNodeProvider()
const { secretKey } = await provider.generateSigningKey()
const key = createSecretKey(randomBytes(16))
const nonce = randomBytes(12)

/** The nonce is always the same: nobody reads it, and a counter would cost nothing. */
async function encrypt(text: string): Promise<Uint8Array> {
  const bytes = Buffer.from(text)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sealed = cipher.update(Buffer.concat([await provider.sign(secretKey, bytes), bytes]))
  cipher.final()
  return Buffer.concat([sealed, cipher.getAuthTag()])
}

let waiting: { wire: Uint8Array; resolve: (num: number) => void }[] = []

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
  const wire = await encrypt(text)
  const num = await keep(wire)
  await relay.send({ to: 'nobody', text: Buffer.from(wire).toString('base64') })
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: num, text }))
}

const server = createServer((request, response) => void post(request, response))
// During the turns of other sides there are no requests: a connection closed meanwhile would break the next request.
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1')
await once(server, 'listening')
serveParent({
  state: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  stop: () => {
    server.close()
    server.closeAllConnections()
    relay.close()
    db.close()
  },
})
