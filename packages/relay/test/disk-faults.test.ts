// A disk that cannot be written: the relay goes on with what it can do, says so, and catches up when the disk works again.
import { ManualClock } from '@postern/testkit/clock'
import { failWrites } from '@postern/testkit/faults'
import { describe, expect, test } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { arrive, chatOf, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { messageEnvelope } from './test-client.ts'

const { acknowledgeWithinMs, acknowledgeRetryMs } = relayLimits()

describe('acknowledgements', () => {
  test('[R73] that cannot be written end nothing, and are written when there is room', async () => {
    const dataDirectory = temporaryDirectory()
    const clock = new ManualClock(Date.now())
    const relay = await testRelay({ dataDirectory, clock })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    await bob.call('follow', { after: 0 })
    const entries = await bob.delivered(2)
    const cursor = entries.at(-1)?.cursor ?? 0
    {
      using _full = failWrites()
      bob.acknowledge(cursor, 7)
      await bob.call('ping', {})
      clock.advance(acknowledgeWithinMs)
      // The write has failed by the time this is refused.
      await expect(alice.append(messageEnvelope({ group, epoch: 1 }))).rejects.toMatchObject({ code: 'storage-failed' })
      expect((await fetch(`${relay.url}/healthz`)).status).toBe(200)
    }
    clock.advance(acknowledgeRetryMs)
    await alice.append(messageEnvelope({ group, epoch: 1 }))
    const again = openClient(relay)
    expect(await again.authenticate(bob.person)).toMatchObject({ cursor, mark: 7 })
  })
})
