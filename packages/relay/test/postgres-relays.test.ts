// Two relays on one database, as clients see them:
// clients move from one to the other, and relays die and stall under them.
import { setTimeout as pause } from 'node:timers/promises'
import { type AccountId, type GroupId, isCoded, wireLimits } from '@postern/protocol'
import { REPLACED_CLOSE_CODE, type RelayVerdict } from '@postern/protocol/relay'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished, test } from 'vitest'
import { arrive, chatOf, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { RelayProcess } from './relay-process.ts'
import {
  commitEnvelope,
  connect,
  ephemeralEnvelope,
  idOf,
  messageEnvelope,
  newGroupId,
  newPerson,
  type TestClient,
} from './test-client.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} Relays that share one are not tried.`)

async function sharedDatabase(): Promise<string> {
  const database = await preparedDatabase()
  onTestFinished(() => forgetDatabase(database))
  return database
}

/** Connects to the next relay each time, and asks for the outcome of its messages before it sends them again. */
class Hopper {
  readonly person = newPerson()
  readonly #urls: readonly string[]
  #client: TestClient | undefined
  hops = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get id(): AccountId {
    return this.person.id
  }

  async client(): Promise<TestClient> {
    while (!this.#client) {
      const url = this.#urls[this.hops++ % this.#urls.length] ?? ''
      const coming = connect(url, this.person).catch(() => undefined)
      this.#client = await Promise.race([coming, pause(PATIENCE_MS, undefined)])
      // A stalled relay may still complete the connection.
      if (!this.#client) void coming.then(late => late?.socket.terminate())
    }
    return this.#client
  }

  /** Like a lost network: without a close frame. */
  drop(): void {
    this.#client?.socket.terminate()
    this.#client = undefined
  }

  async send(group: GroupId, payload: Uint8Array): Promise<RelayVerdict> {
    for (let isNew = true; ; isNew = false) {
      try {
        const client = await this.client()
        if (isNew) return await client.append(payload)
        const known = await client.call('outcome', { group, message: idOf(payload) })
        return known.accepted ? known : await client.append(payload)
      } catch {
        this.drop()
      }
    }
  }
}

/** How long to wait for a relay that does not answer, before trying the next one. */
const PATIENCE_MS = 2000

const upTo = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe.skipIf(isMissing)('two relays on one database', () => {
  test('[RELAY-7.7] what is sent at one is delivered at the other', async () => {
    const database = await sharedDatabase()
    const [here, there] = [await testRelay({ database }), await testRelay({ database })]
    const [alice, bob] = [await arrive(here), await arrive(there)]
    const group = await chatOf(alice, bob)
    await Promise.all([alice, bob].map(one => one.call('follow', { after: 0 })))
    for (let round = 0; round < 10; round++) {
      await alice.append(messageEnvelope({ group, epoch: 1 }))
      await bob.delivered(round + 2)
      await bob.append(messageEnvelope({ group, epoch: 1 }))
      await alice.delivered(round + 2)
    }
    const seqs = ({ entries }: TestClient) => entries.map(({ seq }) => seq)
    expect(seqs(alice)).toEqual([1, ...upTo(1, 10).map(round => 2 * round + 1)])
    expect(seqs(bob)).toEqual([1, ...upTo(1, 10).map(round => 2 * round)])
  })

  test('[RELAY-7.45] a frame that need not last is delivered at the other, up to the largest', async () => {
    const database = await sharedDatabase()
    const [here, there] = [await testRelay({ database }), await testRelay({ database })]
    const [alice, bob, carol] = [await arrive(here), await arrive(there), await arrive(there)]
    const group = await chatOf(alice, bob)
    for (const reader of [bob, carol]) await reader.call('followEphemeral', {})
    const head = ephemeralEnvelope({ group, epoch: 1, size: 0 }).length
    const sent = ephemeralEnvelope({ group, epoch: 1, size: wireLimits.ephemeralBytesMax - head })
    await alice.call('sendEphemeral', { payload: sent })
    const [came] = await bob.ephemerals(1)
    expect([came?.sender, Buffer.from(came?.payload ?? '')]).toEqual([alice.id, Buffer.from(sent)])
    await carol.call('ping', {})
    expect(carol.ephemeral).toEqual([])
  })

  test('[RELAY-7.9] a device that comes to one is ended at the other', async () => {
    const database = await sharedDatabase()
    const [here, there] = [await testRelay({ database }), await testRelay({ database })]
    const older = await arrive(here)
    const newer = await arrive(there, older.person)
    expect((await older.closed).code).toBe(REPLACED_CLOSE_CODE)
    const back = await arrive(here, older.person)
    expect((await newer.closed).code).toBe(REPLACED_CLOSE_CODE)
    await back.call('ping', {})
  })

  test('[RELAY-7.9] a client that hops on every reconnect has each of its messages there once, in its order', async () => {
    const database = await sharedDatabase()
    const relays = [await testRelay({ database }), await testRelay({ database })]
    const alice = new Hopper(relays.map(({ url }) => url))
    onTestFinished(() => alice.drop())
    const [first] = relays as [(typeof relays)[0]]
    const bob = await arrive(first)
    const group = await chatOf(Object.assign(await alice.client(), { person: alice.person, id: alice.id }), bob)
    const sent: string[] = []
    for (let at = 0; at < 60; at++) {
      const payload = messageEnvelope({ group, epoch: 1 })
      const over = alice.send(group, payload)
      // While the request is in flight, or when it has been answered: whichever happens.
      if (at % 3 === 0) alice.drop()
      expect((await over).accepted).toBeDefined()
      sent.push(idOf(payload))
    }
    await bob.call('follow', { after: 0 })
    const entries = await bob.delivered(61)
    expect(entries.slice(1).map(({ payload }) => idOf(payload))).toEqual(sent)
    expect(alice.hops).toBeGreaterThan(20)
  })

  test('[RELAY-7.12] who follows stays while the database is away, and gets what comes when it is back', async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server[Symbol.asyncDispose]())
    const database = await server.createDatabase()
    const [here, there] = [await testRelay({ database }), await testRelay({ database })]
    const [alice, bob] = [await arrive(here), await arrive(there)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    for (let round = 0; round < 2; round++) {
      await server.kill()
      const payload = messageEnvelope({ group, epoch: 1 })
      // A message lost before it was sent is refused; one lost later is answered when the database is back.
      const first = alice.append(payload).then(
        () => 'accepted',
        (error: unknown) => (isCoded(error) ? error.code : String(error)),
      )
      await server.start()
      expect(['accepted', 'unavailable']).toContain(await first)
      await expect.poll(() => alice.append(payload).catch(() => undefined)).toMatchObject({ epoch: 1 })
      await bob.delivered(round + 2)
    }
    expect(bob.entries.map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('[RELAY-7.10] killed and held relays lose nothing, whoever is at them', async () => {
    const database = await sharedDatabase()
    const shared = { database }
    const relays = [new RelayProcess(temporaryDirectory(), shared), new RelayProcess(temporaryDirectory(), shared)]
    onTestFinished(async () => {
      await Promise.all(relays.map(relay => relay.kill()))
    })
    await Promise.all(relays.map(relay => relay.start()))
    const urls = relays.map(({ url }) => url)
    const [alice, carol] = [new Hopper(urls), new Hopper(urls.toReversed())]
    onTestFinished(() => void [alice, carol].map(one => one.drop()))
    const bob = newPerson()
    await (await connect(urls[0] ?? '', bob)).call('ping', {})
    await carol.client()
    const group = newGroupId()
    const creator = await alice.client()
    await creator.call('createGroup', { group, continues: undefined })
    await creator.commit(commitEnvelope({ group, epoch: 0 }), { add: [carol.id, bob.id] })
    const accepted: string[] = []
    const load = { isOver: false }
    const loads = [alice, carol].map(async sender => {
      while (!load.isOver) {
        const payload = messageEnvelope({ group, epoch: 1 })
        await sender.send(group, payload)
        accepted.push(idOf(payload))
      }
    })
    for (let round = 0; round < 6; round++) {
      const before = accepted.length
      await expect.poll(() => accepted.length).toBeGreaterThan(before + 10)
      const relay = relays[round % 2] as RelayProcess
      if (round % 3 === 2) {
        // Its clients go to the other relay; when it resumes, it finds that its devices are elsewhere.
        relay.hold()
        for (const one of [alice, carol]) one.drop()
        await expect.poll(() => accepted.length).toBeGreaterThan(before + 30)
        relay.letGo()
      } else {
        await relay.kill()
        await relay.start()
      }
    }
    load.isOver = true
    await Promise.all(loads)
    const reader = await connect(relays[1]?.url ?? '', bob)
    onTestFinished(() => reader.socket.terminate())
    reader.autoAcknowledge = true
    await reader.call('follow', { after: 0 })
    const entries = (await reader.delivered(1 + accepted.length)).slice(1)
    expect(entries.map(({ payload }) => idOf(payload)).toSorted()).toEqual(accepted.toSorted())
    expect(entries.map(({ seq }) => seq)).toEqual(upTo(2, 1 + accepted.length))
  })
})
