// kill -9 of a relay at each step that it takes with a store of objects: what was acknowledged is there, and the blob as well.
import { randomBytes } from 'node:crypto'
import type { S3Operation, S3Server } from '@postern/testkit/s3'
import { expect, onTestFinished, test } from 'vitest'
import { testS3 } from './blob-places.ts'
import { type Begun, bearer, begin, bodyOf, offsetOf, put } from './put-blob.ts'
import { temporaryDirectory } from './relay-fixture.ts'
import { RelayProcess } from './relay-process.ts'
import { connect, newPerson } from './test-client.ts'

const MIB = 1024 * 1024
/** Pieces by themselves, a part of them, a second part, and a rest. */
const PIECES = [3 * MIB, 4 * MIB, 7 * MIB, 1 * MIB]
const SIZE = PIECES.reduce((sum, size) => sum + size, 0)

const STEPS: [operation: S3Operation, times: number][] = [
  ['put', 1],
  ['put', 2],
  ['get', 1],
  ['begin', 1],
  ['put-part', 1],
  ['delete', 1],
  ['put-part', 2],
  ['complete', 1],
]

/** At the given time of that step the relay is killed, and started anew. */
function killAt(
  server: S3Server,
  relay: RelayProcess,
  [operation, times]: (typeof STEPS)[number],
  kind: 'cut' | 'lose',
) {
  const { promise: restarted, resolve, reject } = Promise.withResolvers<void>()
  let left = times
  server.trouble = asked => {
    if (asked.operation !== operation || --left > 0) return undefined
    server.trouble = () => undefined
    relay
      .kill()
      .then(() => relay.start())
      .then(resolve, reject)
    return { kind }
  }
  return restarted
}

/** Sends piece by piece; gives how far it was acknowledged, and stops where an answer is missing. */
async function sendOn(begun: Begun, data: Buffer, from: number): Promise<number> {
  let offset = from
  for (const size of PIECES) {
    if (offset >= SIZE) break
    const answer = await put(begun, data.subarray(offset, offset + size), offset).catch(() => undefined)
    if (answer?.status !== 204) return offset
    offset = offsetOf(answer)
  }
  return offset
}

test.for(['cut', 'lose'] as const)(
  '[RELAY-8.2] a relay is killed at each step, before it is done and behind it (%s), and nothing acknowledged is lost',
  async kind => {
    const server = await testS3()
    const relay = new RelayProcess(temporaryDirectory(), {
      args: ['--blobs', server.address()],
      env: server.environment,
    })
    await relay.start()
    onTestFinished(() => relay.kill())
    const person = newPerson()
    for (const step of STEPS) {
      const client = await connect(relay.url, person)
      const data = randomBytes(SIZE)
      const begun = await begin(relay, Object.assign(client, { person, id: person.id }), SIZE)
      const at = `killed at ${step.join(' ')}`
      const restarted = killAt(server, relay, step, kind)
      const acknowledged = await sendOn(begun, data, 0)
      client.socket.terminate()
      await restarted
      const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
      expect(offsetOf(head), at).toBeGreaterThanOrEqual(acknowledged)
      expect(await sendOn(begun, data, offsetOf(head)), at).toBe(SIZE)
      expect((await bodyOf(await fetch(begun.url))).equals(data), at).toBe(true)
    }
    // Of each step at most its piece is left, which goes with its blob, and no upload but one that nobody had heard of.
    expect(server.store.objects.size).toBeLessThan(2 * STEPS.length)
    expect(server.store.uploads.size).toBeLessThanOrEqual(1)
  },
)
