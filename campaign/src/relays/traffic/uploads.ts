// Blobs that people put at a relay: an acknowledged one has to be readable at every relay.
import { createHash, randomBytes } from 'node:crypto'
import type { Finding } from '../../chaos/check/finding.ts'
import type { Hopper } from './hopper.ts'
import { inTurns, untilDone } from './in-turns.ts'
import { relayTraffic } from './pace.ts'

type Stored = { blob: string; digest: string }

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export class Uploads {
  readonly #stored: Stored[] = []

  get count(): number {
    return this.#stored.length
  }

  /** One try: without an answer it is not known whether the blob is there. True when it is acknowledged. */
  async put({ line: current, surroundings }: Pick<Hopper, 'line' | 'surroundings'>): Promise<boolean> {
    const line = await current
    const bytes = randomBytes(1 + surroundings.random.below(relayTraffic.blobBytesMax))
    try {
      const { blob, token } = await line.inTime(line.client.call('beginBlob', { size: bytes.length }))
      const { status } = await fetch(`http://${line.client.host}/blobs/${blob}`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${token}`, 'Upload-Offset': '0' },
        body: bytes,
        signal: AbortSignal.timeout(relayTraffic.uploadWithinMs),
      })
      if (status !== 204) return false
      this.#stored.push({ blob, digest: digestOf(bytes) })
      return true
    } catch {
      return false
    }
  }

  /** Reads all of them, from the relays in turn. */
  async check(urls: readonly string[]): Promise<Finding[]> {
    const findings = await inTurns(this.#stored, async ({ blob, digest }, at): Promise<Finding[]> => {
      const url = `${urls[at % urls.length]}/blobs/${blob}`
      const { status, found } = await untilDone(() => read(url))
      if (status === 200 && found === digest) return []
      return [{ wrong: status === 200 ? 'different' : 'lost', deed: 'blob', what: `${blob}: ${status}` }]
    })
    return findings.flat()
  }
}

/** Throws while the relay or its store is only busy. */
async function read(url: string): Promise<{ status: number; found: string }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(relayTraffic.uploadWithinMs) })
  const found = digestOf(new Uint8Array(await response.arrayBuffer()))
  if (response.status >= 500) throw new Error(`${url}: ${response.status}`)
  return { status: response.status, found }
}
