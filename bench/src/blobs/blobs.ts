// A blob of 64 MiB through a relay, up and down: with blobs as files, in a shared directory, and in an object store.
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect, newPerson, type TestClient } from '@postern/testkit/bare-client'
import { inTurn, median } from '../figures.ts'
import { Child } from '../processes/child.ts'
import type { RelaySettings } from '../processes/relay.ts'
import { inScratch } from '../scratch.ts'
import type { Row } from '../table.ts'

const ROUNDS = 4
const BLOB_MIB = 64
const data = randomBytes(BLOB_MIB * 2 ** 20)

type Kept = { address: string; environment: Record<string, string> }
type Rates = { up: number[]; down: number[] }

export const measureBlobs = (): Promise<Row[]> =>
  inScratch(async directory => {
    const objects = await Child.start<Kept>(new URL('./object-store.ts', import.meta.url), {})
    const shared = join(directory, 'shared')
    mkdirSync(shared)
    const sides = await Promise.all([
      Side.open({ directory: join(directory, 'files') }),
      Side.open({ directory: join(directory, 'beside-shared'), blobs: shared }),
      Side.open({
        directory: join(directory, 'beside-objects'),
        blobs: objects.state.address,
        environment: objects.state.environment,
      }),
    ])
    const [files, dir, store] = sides
    await inTurn(ROUNDS, [() => files.round(), () => dir.round(), () => store.round()])
    const memory = await store.peakMib()
    await Promise.all(sides.map(side => side.close()))
    await objects.stop()
    return [
      ...rowsOf('in a store of objects', store.rates, files.rates),
      ...rowsOf('in a shared directory', dir.rates, files.rates),
      { what: 'RSS of relay, blobs in a store of objects', ours: memory, unit: 'MiB' },
    ]
  })

function rowsOf(where: string, ours: Rates, files: Rates): Row[] {
  return (['up', 'down'] as const).map(way => ({
    what: `blob of ${BLOB_MIB} MiB ${way}, ${where}`,
    ours: median(ours[way]),
    unit: 'MiB/s',
    peer: { what: 'as files', figure: median(files[way]), better: 'more' },
  }))
}

class Side {
  readonly rates: Rates = { up: [], down: [] }
  readonly #relay: Child<{ url: string }>
  readonly #client: TestClient

  private constructor(relay: Child<{ url: string }>, client: TestClient) {
    this.#relay = relay
    this.#client = client
  }

  static async open(settings: RelaySettings): Promise<Side> {
    const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), settings)
    const side = new Side(relay, await connect(relay.state.url, newPerson()))
    // Once without timing: code and connections are warm then.
    await side.round()
    side.rates.up.length = 0
    side.rates.down.length = 0
    await relay.ask('watchMemory')
    return side
  }

  async round(): Promise<void> {
    const { blob, token } = await this.#client.call('beginBlob', { size: data.length })
    const url = `${this.#relay.state.url}/blobs/${blob}`
    const headers = { Authorization: `Bearer ${token}`, 'Upload-Offset': '0', 'Upload-Complete': '?1' }
    this.rates.up.push(await rateOf(() => fetch(url, { method: 'PUT', headers, body: data })))
    this.rates.down.push(await rateOf(() => fetch(url)))
    await this.#client.call('deleteBlob', { blob })
  }

  async peakMib(): Promise<number> {
    return await this.#relay.ask<number>('peakRssMib')
  }

  async close(): Promise<void> {
    this.#client.socket.terminate()
    await this.#relay.stop()
  }
}

async function rateOf(asked: () => Promise<Response>): Promise<number> {
  const startedMs = performance.now()
  const answer = await asked()
  const { length } = await answer.bytes()
  if (!answer.ok || (answer.status === 200 && length !== data.length)) throw new Error(`a blob is ${answer.status}`)
  return (BLOB_MIB * 1000) / (performance.now() - startedMs)
}
