// kill -9 of a relay at each of its steps with an object store: acknowledged bytes stay, and the blob can be completed.
import { randomBytes } from 'node:crypto'
import { isCampaign } from '@postern/testkit/random'
import type { S3Operation, S3Server } from '@postern/testkit/s3'
import { expect, onTestFinished, test } from 'vitest'
import { testS3 } from './blob-places.ts'
import { type Begun, bearer, begin, bodyOf, offsetOf, put } from './put-blob.ts'
import { temporaryDirectory } from './relay-fixture.ts'
import { RelayProcess } from './relay-process.ts'
import { connect, newPerson } from './test-client.ts'

const MIB = 1024 * 1024
/** Separate pieces, a part made of them, a second part, and a rest. */
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

type Kill = { step: (typeof STEPS)[number]; kind: 'cut' | 'lose' }

/** `cut`: the request has no effect. `lose`: it has, and the answer is lost. A campaign tries both; a change, in turn. */
const KILLS = STEPS.flatMap((step, number) => {
  const kinds = isCampaign() ? (['cut', 'lose'] as const) : ([number % 2 === 0 ? 'cut' : 'lose'] as const)
  return kinds.map(kind => ({ step, kind, at: step.join(' ') }))
})

/** Kills and restarts the relay at the given occurrence of that step. */
function killAt(server: S3Server, relay: RelayProcess, { step: [operation, times], kind }: Kill): Promise<void> {
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

/** Sends piece by piece; returns the acknowledged length, and stops at a missing answer. */
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

test.for(KILLS)(
  '[RELAY-8.2] a relay that is killed at $at ($kind) loses nothing that it has acknowledged',
  async ({ step, kind }) => {
    const server = await testS3()
    const started = { args: ['--blobs', server.address()], env: server.environment }
    const relay = new RelayProcess(temporaryDirectory(), started)
    await relay.start()
    onTestFinished(() => relay.kill())
    const person = newPerson()
    const client = await connect(relay.url, person)
    const data = randomBytes(SIZE)
    const begun = await begin(relay, Object.assign(client, { person, id: person.id }), SIZE)
    const restarted = killAt(server, relay, { step, kind })
    const acknowledged = await sendOn(begun, data, 0)
    client.socket.terminate()
    await restarted
    const head = await fetch(begun.url, { method: 'HEAD', headers: bearer(begun) })
    expect(offsetOf(head)).toBeGreaterThanOrEqual(acknowledged)
    expect(await sendOn(begun, data, offsetOf(head))).toBe(SIZE)
    expect((await bodyOf(await fetch(begun.url))).equals(data)).toBe(true)
    // The remains of a killed relay are deleted with the blob, except an upload that was never noted.
    expect(server.store.uploads.size).toBeLessThanOrEqual(step[0] === 'begin' ? 1 : 0)
  },
)
