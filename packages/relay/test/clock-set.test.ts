// The relay's clock changes while it runs, as on a machine without a battery some time after its start.
import { relayDefaults } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import { TokenBucket } from '../src/limits/token-bucket.ts'
import { arrive, chatOf, testRelay } from './relay-fixture.ts'
import { messageEnvelope } from './test-client.ts'

const DAY_MS = 86_400_000
const SOON = { interval: 5, timeout: 60_000 }

test('[RELAY-1.23] what came while the clock was wrong is delivered when it has been set right', async () => {
  const clock = new ManualClock(Date.now() - 60 * DAY_MS)
  const relay = await testRelay({ clock })
  const [alice, bob] = [await arrive(relay), await arrive(relay)]
  const group = await chatOf(alice, bob)
  await alice.append(messageEnvelope({ group, epoch: 1 }))
  const sweptOnce = async () => {
    await expect.poll(() => clock.isAwaited(relayDefaults.sweepEveryMs), SOON).toBe(true)
  }
  await sweptOnce()
  clock.set(60 * DAY_MS)
  clock.leap(relayDefaults.sweepEveryMs)
  await sweptOnce()
  const again = await arrive(relay, bob.person)
  await again.call('follow', { after: 0 })
  expect((await again.delivered(2)).map(({ kind }) => kind)).toEqual(['welcome', 'message'])
})

test('[RELAY-2.10] a clock that is set neither fills nor empties what a connection may send', () => {
  const clock = new ManualClock()
  const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 })
  expect([bucket.spend(), bucket.spend()]).toEqual([true, false])
  clock.set(DAY_MS)
  expect(bucket.spend()).toBe(false)
  clock.set(-2 * DAY_MS)
  clock.advance(1000)
  expect(bucket.spend()).toBe(true)
})
