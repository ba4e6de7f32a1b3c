// The order of a log as times, whatever the clocks say: of this machine, of the relay, of both, days off, one after the
// other.

import { join } from 'node:path'
import type { GroupId } from '@postern/protocol'
import { ManualClock } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import fc from 'fast-check'
import { expect } from 'vitest'
import { LogOrder } from '../src/groups/log-order.ts'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'
import { ElapsedClock } from '../src/storage/state/elapsed-clock.ts'
import { Store } from '../src/storage/transactions/store.ts'

const DAY_MS = 86_400_000
const GROUP = 'group' as GroupId

type Step =
  | { kind: 'machine' | 'relay' | 'both'; days: number }
  | { kind: 'pass'; ms: number }
  | { kind: 'entry' | 'own' | 'restart' | 'unload' }

const days = fc.integer({ min: -9, max: 9 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('machine' as const, 'relay' as const, 'both' as const), days }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: DAY_MS }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('entry' as const, 'entry' as const, 'own' as const, 'restart' as const, 'unload' as const),
    }),
  },
)

class Scene {
  readonly store: Store
  readonly clock = new ManualClock(Date.UTC(2026, 10, 1))
  #relayOffMs = 0
  #wallOffMs = 0
  #relayTs = 0
  #seq = 0
  #lastTs = 0
  /** Accepted by the relay, and not read here yet: our own entry after them is placed first. */
  readonly #unread: { seq: number; ts: number }[] = []
  #elapsed: ElapsedClock
  #order: LogOrder
  readonly placed: { seq: number; ts: number }[] = []

  constructor(store: Store) {
    this.store = store
    ;({ elapsed: this.#elapsed, order: this.#order } = this.#open())
  }

  #open() {
    const clock = {
      nowMs: () => this.clock.nowMs() + this.#wallOffMs,
      monotonicMs: () => this.clock.monotonicMs(),
    } as never
    const elapsed = new ElapsedClock({ store: this.store, clock, newestMs: () => 0 })
    return { elapsed, order: new LogOrder({ store: this.store, clock, elapsed }) }
  }

  #append() {
    this.#relayTs = Math.max(this.#relayTs + 1, this.clock.nowMs() + this.#relayOffMs)
    return { seq: ++this.#seq, ts: this.#relayTs }
  }

  #read() {
    for (const entry of this.#unread.splice(0)) {
      this.#lastTs = this.#order.place({ group: GROUP, ...entry }, this.#lastTs)
      this.placed.push({ seq: entry.seq, ts: this.#lastTs })
    }
  }

  async take(step: Step): Promise<void> {
    this.clock.advance(10)
    if (step.kind === 'machine' || step.kind === 'both') this.#wallOffMs = step.days * DAY_MS
    if (step.kind === 'relay' || step.kind === 'both') this.#relayOffMs = step.days * DAY_MS
    if (step.kind === 'pass') this.clock.advance(step.ms)
    if (step.kind === 'unload') this.#lastTs = 0
    if (step.kind === 'entry') {
      this.#unread.push(this.#append())
      if (this.#unread.length > 2) this.#read()
    }
    if (step.kind === 'own') {
      const own = this.#append()
      this.placed.push({ seq: own.seq, ts: this.#order.place({ group: GROUP, ...own }) })
    }
    if (step.kind === 'restart') {
      this.#read()
      await this.store.caughtUp()
      this.#lastTs = 0
      ;({ elapsed: this.#elapsed, order: this.#order } = this.#open())
      this.#elapsed.heard(this.clock.nowMs() + this.#relayOffMs)
    }
  }

  end() {
    this.#read()
  }
}

test('[CORE-21.4] the order of the log is kept, whatever the clocks were in between', { timeout: 120_000 }, async ({
  world,
}) => {
  let runs = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 25 }), async steps => {
      const store = new Store(openDataDirectory(join(world.directory, `run${++runs}`)), setImmediate)
      const scene = new Scene(store)
      for (const taken of steps) await scene.take(taken)
      scene.end()
      const inOrder = scene.placed.toSorted((a, b) => a.seq - b.seq)
      for (const [at, { ts }] of inOrder.entries()) expect(ts).toBeGreaterThan(inOrder[at - 1]?.ts ?? 0)
      store.close()
    }),
    { numRuns: 200 },
  )
})
