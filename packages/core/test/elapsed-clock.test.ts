// Elapsed time, with a clock that is set, a relay that lies, and across restarts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientLimits, Deadline } from '@postern/protocol'
import { ManualClock, passTime, WITHIN } from '@postern/testkit'
import { test as testInWorld } from '@postern/testkit/fixtures'
import { test as base, describe, expect } from 'vitest'
import { newestEventTs } from '../src/journal/journal.ts'
import { ageOf } from '../src/messages/age.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { ElapsedClock } from '../src/storage/state/elapsed-clock.ts'
import { Store } from '../src/storage/transactions/store.ts'

const HOUR_MS = 3_600_000

/**
 * Elapsed time as a client counts it, run after run on the same data. Time passes on both clocks, ours and the relay's.
 */
const test = base
  .extend('clock', () => new ManualClock())
  .extend('relay', ({ clock }) => new ManualClock(clock.nowMs() + 5000))
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('store', ({}, { onCleanup }) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-'))
    const store = new Store(openDataDirectory(directory), setImmediate)
    onCleanup(() => {
      store.close()
      rmSync(directory, { recursive: true, force: true })
    })
    return store
  })
  .extend('start', ({ store, clock }) => (): ElapsedClock => {
    return new ElapsedClock({ store, clock, newestMs: () => newestEventTs(store) })
  })
  .extend('pass', ({ clock, relay }) => (ms: number): void => {
    for (const one of [clock, relay]) one.advance(ms)
  })
  /** A first run of a minute. Returns the time at its end. */
  .extend('firstRun', ({ start, pass, relay }) => async (): Promise<number> => {
    const first = start()
    first.heard(relay.nowMs())
    pass(60_000)
    await first.stop()
    return first.nowMs()
  })

describe('over restarts', () => {
  test('[CORE-21.1] within a run it goes on with the machine, whatever the clocks are set to', ({
    clock,
    relay,
    start,
    pass,
  }) => {
    const elapsed = start()
    const beganMs = elapsed.nowMs()
    expect(beganMs).toBe(clock.nowMs())
    elapsed.heard(relay.nowMs())
    clock.set(100 * HOUR_MS)
    relay.set(100 * HOUR_MS)
    elapsed.heard(relay.nowMs())
    pass(1000)
    clock.set(-200 * HOUR_MS)
    elapsed.heard(relay.nowMs())
    expect(elapsed.nowMs() - beganMs).toBe(1000)
    expect(elapsed.relayNowMs()).toBe(relay.nowMs())
  })

  test.for<[what: string, ...byMs: [number, number, number]]>([
    ['both tell of an hour', HOUR_MS, HOUR_MS, HOUR_MS],
    ['only the clock was set forward', 72 * HOUR_MS, 0, 0],
    ['only the relay tells of it', 0, 72 * HOUR_MS, 0],
    ['both tell of some, one of more', 72 * HOUR_MS, HOUR_MS, HOUR_MS],
    ['the clock was set back', -HOUR_MS, HOUR_MS, 0],
    ['the relay went back', HOUR_MS, -HOUR_MS, 0],
  ])(
    '[CORE-21.1] %s: that much counts',
    async ([, byClock, byRelay, counted], { clock, relay, start, pass, firstRun }) => {
      const endedMs = await firstRun()
      clock.set(byClock)
      relay.set(byRelay)
      const second = start()
      expect([second.nowMs(), second.relayNowMs()]).toEqual([endedMs, undefined])
      pass(2000)
      second.heard(relay.nowMs())
      expect(second.nowMs()).toBe(endedMs + 2000 + counted)
      second.heard(relay.nowMs() + HOUR_MS)
      expect(second.nowMs()).toBe(endedMs + 2000 + counted)
    },
  )

  test('[CORE-21.1] a run that never heard the relay leaves what is to be counted to the next', async ({
    relay,
    start,
    pass,
    firstRun,
  }) => {
    const endedMs = await firstRun()
    pass(HOUR_MS)
    const deaf = start()
    pass(1000)
    await deaf.stop()
    pass(HOUR_MS)
    const next = start()
    next.heard(relay.nowMs())
    expect(next.nowMs()).toBe(endedMs + 2 * HOUR_MS + 1000)
  })

  test('[CORE-21.4] the clock set back, it is no earlier than clock and relay both said before, over restarts too', async ({
    clock,
    relay,
    start,
    pass,
  }) => {
    const first = start()
    expect(first.reachedMs()).toBe(clock.nowMs())
    first.heard(relay.nowMs())
    const reachedMs = clock.nowMs()
    clock.set(-72 * HOUR_MS)
    pass(1000)
    expect(first.reachedMs()).toBe(reachedMs + 1000)
    first.heard(relay.nowMs())
    await first.stop()
    const second = start()
    pass(1000)
    expect(second.reachedMs()).toBe(reachedMs + 2000)
    clock.set(73 * HOUR_MS)
    expect(second.reachedMs()).toBe(clock.nowMs())
  })

  test.for<[what: string, byClock: number, byRelay: number]>([
    ['a clock that was ahead alone', 72 * HOUR_MS, 0],
    ['a relay that was ahead alone', 0, 72 * HOUR_MS],
  ])('[CORE-21.4] %s leaves nothing of it', async ([, byClock, byRelay], { clock, relay, start }) => {
    const elapsed = start()
    elapsed.heard(relay.nowMs())
    clock.set(byClock)
    elapsed.heard(relay.nowMs() + byRelay)
    clock.set(-byClock)
    expect(elapsed.reachedMs()).toBeLessThanOrEqual(relay.nowMs())
    await elapsed.stop()
    expect(start().reachedMs()).toBeLessThanOrEqual(relay.nowMs())
  })

  test('[CORE-21.1] it does not begin before what is there already, should the clock be far behind at the first start', async ({
    clock,
    relay,
    store,
    start,
    pass,
  }) => {
    const newestMs = clock.nowMs()
    await store.write(database =>
      database.run("INSERT INTO journal (ts, chat_id, json) VALUES (?, 'chat', '{}')", newestMs),
    )
    clock.set(-clock.nowMs())
    const elapsed = start()
    expect(elapsed.nowMs()).toBe(newestMs)
    pass(1000)
    elapsed.heard(relay.nowMs())
    await elapsed.stop()
    expect(start().nowMs()).toBe(newestMs + 1000)
  })

  test('[CORE-21.3] a relay that is ahead beyond belief makes nothing old that was said just now', ({
    clock,
    relay,
    start,
  }) => {
    const elapsed = start()
    elapsed.heard(relay.nowMs() + 72 * HOUR_MS)
    expect(ageOf({ clock, elapsed }, clock.nowMs())).toBe(0)
    clock.advance(5000)
    expect(ageOf({ clock, elapsed }, clock.nowMs() - 5000)).toBe(5000)
  })

  test('[CORE-21.1] killed, what was not written yet is counted by both clocks', async ({
    relay,
    store,
    start,
    pass,
  }) => {
    const killed = start()
    killed.heard(relay.nowMs())
    pass(clientLimits.passedTimeKeptEveryMs - 1)
    killed.heard(relay.nowMs())
    await store.caughtUp()
    const next = start()
    next.heard(relay.nowMs())
    expect(next.nowMs()).toBe(killed.nowMs())
  })
})

test('[CORE-21.2] a clock that is set neither ends a deadline nor makes it longer', ({ clock }) => {
  const deadline = new Deadline(clock, { timeoutMs: 10_000 })
  clock.set(HOUR_MS)
  expect(deadline.leftMs()).toBe(10_000)
  clock.set(-2 * HOUR_MS)
  clock.advance(9999)
  expect(deadline.leftMs()).toBe(1)
  clock.advance(1)
  expect(() => deadline.leftMs()).toThrow(expect.objectContaining({ code: 'relay-unreachable' }))
})

describe('editing', () => {
  const testAhead = testInWorld.extend('alice', ({ world, clock }) => world.person('alice', { clock }))

  testAhead(
    '[CORE-21.3] who is three days ahead of the relay edits what was said just now',
    async ({ alice, bob, clock }) => {
      const { id } = await alice.say(bob, 'first')
      await bob.hears('first')
      clock.set(72 * HOUR_MS)
      await passTime(clock, alice.client.messages.edit(bob.chatId, { message: id, text: 'second' }, WITHIN))
      expect((await bob.next('edited')).message.text).toBe('second')
    },
  )
})
