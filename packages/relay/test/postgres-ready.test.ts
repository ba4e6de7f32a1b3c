// What a balancer is told by a relay whose database is away.
import { relayFixedLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { findPostgres, POSTGRES_MISSING, PostgresServer } from '@postern/testkit/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { testRelay } from './relay-fixture.ts'

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
  await server.start()
  await expect.poll(ready).toBe(200)
})
