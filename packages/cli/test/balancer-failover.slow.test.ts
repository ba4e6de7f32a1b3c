// Two relays behind the balancer of deploy/proxy, whose database goes silent: for both of them, or for one alone.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isCoded } from '@postern/protocol'
import { commitEnvelope, idOf, messageEnvelope, newGroupId, newPerson, TestClient } from '@postern/testkit/bare-client'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { balancerStates, freePort, isInstalled, makeCertificate, startBalancer } from './example-proxy.ts'
import { Postern } from './process.ts'

if (!isInstalled('haproxy')) console.warn('haproxy is not installed here: failovers behind it are not tried')
if (!findPostgres()) console.warn(POSTGRES_MISSING)

const OUTAGE_MS = 45_000
const AGAIN_MS = 100
/** A relay counts as ready again after half a minute of checks, and a busy machine may miss one of them. */
const SLOWLY = { timeout: 150_000 }
const HANGS_MS = 600_000
const UP = { 'relays/one': 'UP', 'relays/two': 'UP', 'ready/one': 'UP', 'ready/two': 'UP' }

/** The second relay has a role of its own, by which a test can take the database from it alone. */
async function balanced() {
  const directory = mkdtempSync(join(tmpdir(), 'postern-failover-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const server = await PostgresServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
  await server.sql('CREATE ROLE second SUPERUSER LOGIN')
  const database = await server.createDatabase()
  const [port, one, two] = [await freePort(), await freePort(), await freePort()]
  const startRelay = async (at: number, address: string): Promise<void> => {
    const listen = ['--listen', `127.0.0.1:${at}`, '--public-host', `localhost:${port}`]
    const options = ['--database', address, '--proxy-header', 'x-forwarded-for', '--registration', 'open']
    await new Postern(['relay', ...listen, ...options, '--data', join(directory, `relay-${at}`)]).says('"listening"')
  }
  await startRelay(one, database)
  await startRelay(two, database.replace('postgres@', 'second@'))
  const made = makeCertificate(directory)
  const balancer = startBalancer({ relays: [one, two], port, directory, ...made })
  onTestFinished(() => balancer[Symbol.asyncDispose]())
  const states = () => balancerStates(directory).catch(() => undefined)
  await expect.poll(states, SLOWLY).toEqual(UP)
  const ca = readFileSync(made.certificate, 'utf8')
  const connect = async () => {
    const client = new TestClient(`https://localhost:${port}`, { ca })
    onTestFinished(() => client.socket.terminate())
    const person = newPerson()
    await client.authenticate(person)
    await client.call('follow', { after: 0 })
    client.autoAcknowledge = true
    return Object.assign(client, { id: person.id })
  }
  const isReady = async (relay: number): Promise<boolean> => (await fetch(`http://127.0.0.1:${relay}/readyz`)).ok
  return { server, states, connect, isReady: { one: () => isReady(one), two: () => isReady(two) } }
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof balanced>>['connect']>>

/** The same message until the relay has an answer: it is in the log once. */
async function send(client: Client, payload: Uint8Array): Promise<void> {
  for (;;) {
    try {
      await client.append(payload)
      return
    } catch (error) {
      if (!isCoded(error, 'unavailable')) throw error
      await pause(AGAIN_MS)
    }
  }
}

const isOpen = (client: Client): boolean => client.socket.readyState === client.socket.OPEN

describe.skipIf(!isInstalled('haproxy') || !findPostgres())('a database that goes silent', () => {
  test('[RELAY-7.32] for 45 s ends no session, and nothing is lost', { timeout: HANGS_MS }, async () => {
    const { server, states, connect, isReady } = await balanced()
    const [alice, bob, carol, dora] = [await connect(), await connect(), await connect(), await connect()]
    const everybody = [alice, bob, carol, dora]
    const group = newGroupId()
    await alice.call('createGroup', { group, continues: undefined })
    await alice.commit(commitEnvelope({ group, epoch: 0 }), { add: everybody.slice(1).map(({ id }) => id) })
    const sent: Uint8Array[] = []
    const over = new AbortController()
    const traffic = (async () => {
      while (!over.signal.aborted) {
        const payload = messageEnvelope({ group, epoch: 1 })
        sent.push(payload)
        await send(alice, payload)
        await pause(AGAIN_MS)
      }
    })()

    server.hold()
    const outage = pause(OUTAGE_MS)
    await expect.poll(async () => [await isReady.one(), await isReady.two()], SLOWLY).toEqual([false, false])
    await expect.poll(states, SLOWLY).toEqual({ ...UP, 'ready/one': 'DOWN', 'ready/two': 'DOWN' })
    await outage
    expect(await states()).toMatchObject({ 'relays/one': 'UP', 'relays/two': 'UP' })
    server.letGo()

    await expect.poll(async () => [await isReady.one(), await isReady.two()], SLOWLY).toEqual([true, true])
    // From here on a relay that is not ready would lose its clients again.
    await expect.poll(states, SLOWLY).toEqual(UP)
    over.abort()
    await traffic
    for (const client of [bob, carol, dora]) {
      // The welcome comes first.
      const entries = await client.delivered(1 + sent.length)
      expect(entries.slice(1).map(({ payload }) => idOf(payload))).toEqual(sent.map(idOf))
    }
    expect(everybody.map(isOpen)).toEqual([true, true, true, true])
  })

  test('[RELAY-7.32] for one relay alone sends its clients to the other', { timeout: HANGS_MS }, async () => {
    const { server, states, connect, isReady } = await balanced()
    const clients = [await connect(), await connect(), await connect(), await connect()]
    await server.sql('ALTER ROLE second NOLOGIN')
    await server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'second'")
    await expect.poll(isReady.two, SLOWLY).toBe(false)
    await expect.poll(states, SLOWLY).toMatchObject({ 'relays/one': 'UP', 'relays/two': 'DOWN' })
    await expect.poll(() => clients.filter(isOpen).length).toBe(clients.length / 2)
    const again = await connect()
    expect((await again.call('ping', {})).nowMs).toBeGreaterThan(0)
    expect(await isReady.one()).toBe(true)
  })
})
