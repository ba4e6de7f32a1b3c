// The answers to a load balancer of a relay whose database is unreachable.
import { postgresLimits, relayFixedLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { arrive, testRelay } from './relay-fixture.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} A relay that has lost it is not tried.`)

const STEP_MS = 500

test.skipIf(isMissing)('[RELAY-7.12] a relay is not ready while its database is away, but for a moment', async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const clock = new ManualClock()
  const relay = await testRelay({ database: await server.createDatabase(), clock })
  const statusOf = async (path: string) => (await fetch(new URL(path, relay.url.replace('ws', 'http')))).status
  const ready = async () => {
    clock.advance(STEP_MS)
    return await statusOf('/readyz')
  }
  expect(await ready()).toBe(200)
  await server.kill()
  const lostMs = clock.monotonicMs()
  await expect.poll(ready).toBe(503)
  expect(clock.monotonicMs() - lostMs).toBeGreaterThanOrEqual(relayFixedLimits.unreadyAfterMs)
  expect(await statusOf('/healthz')).toBe(200)
  expect(await statusOf('/readyz/now')).toBe(503)
  await server.start()
  await expect.poll(ready).toBe(200)
})

test.skipIf(isMissing)('[RELAY-7.12] a relay notices a silent database before its statements time out', async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const clock = new ManualClock()
  const relay = await testRelay({ database: await server.createDatabase(), clock })
  const alice = await arrive(relay)
  const isReadyNow = async () => (await fetch(new URL('/readyz/now', relay.url))).ok
  await expect.poll(isReadyNow).toBe(true)
  server.hold()
  let isAnswered = false
  const asked = alice.call('getProfile', { account: alice.id }).catch(() => undefined)
  const answered = asked.then(() => (isAnswered = true))
  clock.advance(postgresLimits.keepAliveMs)
  await expect.poll(isReadyNow).toBe(false)
  expect(isAnswered).toBe(false)
  server.letGo()
  await answered
  await expect
    .poll(async () => {
      clock.advance(STEP_MS)
      return await isReadyNow()
    })
    .toBe(true)
  expect(postgresLimits.keepAliveMs + postgresLimits.probeMs).toBeLessThan(relayFixedLimits.unreadyAfterMs)
})
