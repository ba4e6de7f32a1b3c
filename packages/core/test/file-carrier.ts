// A process that transfers files to or from a relay and prints its memory use:
// `up` or `down`, URL, folder, count, bytes.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StoredFile } from '../src/files/files.ts'
import { openNodeClient } from '../src/platform-node.ts'

const [way, relayUrl = '', folder = '', count, bytes] = process.argv.slice(2)
const SHARED = join(folder, 'stored.json')
const PIECE_BYTES = 64 * 1024

const client = await openNodeClient({
  directory: join(folder, way ?? ''),
  acceptRequests: 'all',
  firstStart: () => ({ relayUrl, name: 'carrier', bot: false }),
})
client.start()
await client.whenOnline({ timeoutMs: 60_000 })
const { files, store } = client['core']

/** New memory for each piece, as a socket allocates it. */
async function* source(): AsyncGenerator<Uint8Array> {
  for (let left = Number(bytes); left > 0; left -= PIECE_BYTES) yield Buffer.alloc(Math.min(left, PIECE_BYTES), left)
}

async function carryUp(): Promise<StoredFile> {
  const spool = await files.spool(source(), { uploads: 'now' })
  const stored = await spool.uploaded()
  await store.write(database => database.run('DELETE FROM upload WHERE blob_id = ?', stored.blob))
  await spool.release()
  return stored
}

async function carryDown(stored: StoredFile): Promise<number> {
  const file = await files.open(stored, { timeoutMs: 60_000 })
  let length = 0
  for await (const piece of file.readBriefly()) {
    length += piece.length
    // Like a slow reader.
    await new Promise(setImmediate)
  }
  return length
}

const asText = (_: string, value: unknown) => (value instanceof Uint8Array ? [...value] : value)
const asBytes = (_: string, value: unknown) =>
  Array.isArray(value) && value.length === 32 ? Uint8Array.from(value) : value

const idleBytes = process.memoryUsage.rss()
let peakBytes = idleBytes
const watch = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}, 5)
const startMs = performance.now()
if (way === 'up') {
  const all = await Promise.all(Array.from({ length: Number(count) }, carryUp))
  writeFileSync(SHARED, JSON.stringify(all, asText))
} else {
  const all = JSON.parse(readFileSync(SHARED, 'utf8'), asBytes) as StoredFile[]
  const lengths = await Promise.all(all.map(carryDown))
  if (lengths.some(length => length !== Number(bytes))) throw new Error('a file came short')
}
const tookMs = performance.now() - startMs
clearInterval(watch)
await client.stop()
process.stdout.write(JSON.stringify({ aboveIdleBytes: peakBytes - idleBytes, tookMs }))
