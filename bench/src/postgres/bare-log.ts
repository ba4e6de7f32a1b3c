// The minimum of a durable log on PostgreSQL, in a separate process: waiting entries go into one INSERT, and are committed.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { serveParent, settingsFromParent } from '../processes/parent.ts'
import { appendFor, type Load } from './appending.ts'

export type BareSettings = { database: string }

const PAYLOAD_BYTES = 1024
const TABLE = 'CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea NOT NULL)'
const INSERT = {
  name: 'insert',
  text: `INSERT INTO bare (payload)
    SELECT substr($1::bytea, (n - 1) * ${PAYLOAD_BYTES} + 1, ${PAYLOAD_BYTES}) FROM generate_series(1, $2::integer) n`,
}

const { database } = settingsFromParent<BareSettings>()
const client = new Client({ connectionString: database })
// A failed run has ended the server: its own error must come first.
client.on('error', () => {})
await client.connect()
await client.query(TABLE)

let waiting: { payload: Uint8Array; done: () => void }[] = []
let isWriting = false

async function write(): Promise<void> {
  isWriting = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    const payloads = Buffer.concat(batch.map(({ payload }) => payload))
    await client.query({ ...INSERT, values: [payloads, batch.length] })
    for (const { done } of batch) done()
  }
  isWriting = false
}

function append(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  waiting.push({ payload: randomBytes(PAYLOAD_BYTES), done: resolve })
  if (!isWriting)
    setImmediate(() => {
      if (!isWriting) write().catch(reject)
    })
  return promise
}

serveParent({ state: {}, answers: { append: (load: Load) => appendFor(load, append) }, stop: () => client.end() })
