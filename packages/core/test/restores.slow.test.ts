// Histories of backups and restores, of clients and the relay,
// in any order: every chat continues, and no key encrypts twice.
import crypto from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { ChatId } from '@postern/protocol'
import { backupOf, ManualClock, type TestPerson, WITHIN, World } from '@postern/testkit'
import { seedFrom, timesFrom } from '@postern/testkit/random'
import fc from 'fast-check'
import { afterAll, beforeEach, expect, test } from 'vitest'

const SECOND_MS = 1000
const MLS_KEY_BYTES = 16
const names = ['alice', 'bob', 'carol'] as const
type Name = (typeof names)[number]

/** Every MLS key that encrypted something, with the number of times. */
const used = new Map<string, number>()
const { createCipheriv } = crypto
crypto.createCipheriv = ((...given: Parameters<typeof createCipheriv>) => {
  const secret = given[1] instanceof crypto.KeyObject ? given[1].export() : (given[1] as Uint8Array)
  const key = Buffer.from(secret).toString('hex')
  // Only those of MLS. A profile is encrypted under its own longer key each time it is published, with another nonce.
  if (secret.length === MLS_KEY_BYTES) used.set(key, (used.get(key) ?? 0) + 1)
  return createCipheriv(...given)
}) as typeof createCipheriv
syncBuiltinESMExports()
afterAll(() => {
  crypto.createCipheriv = createCipheriv
  syncBuiltinESMExports()
})
beforeEach(() => used.clear())

type Step =
  | { do: 'back up' | 'restore'; what: Name | 'relay' }
  | { do: 'say' | 'say alone'; who: Name }
  | { do: 'rename' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('back up' as const, 'restore' as const),
    what: fc.constantFrom(...names, 'relay' as const),
  }),
  fc.record({ do: fc.constantFrom('say' as const, 'say alone' as const), who: fc.constantFrom(...names) }),
  fc.record({ do: fc.constant('rename' as const) }),
)

class History {
  readonly #world: World
  readonly #clock = new ManualClock(Date.now())
  readonly #people = new Map<Name, TestPerson>()
  #chat = '' as ChatId
  #count = 0
  #isRelayKept = false

  constructor(world: World) {
    this.#world = world
  }

  async begin(): Promise<void> {
    for (const name of names) await this.#open(name)
    const [alice, bob, carol] = names.map(name => this.#person(name)) as [TestPerson, TestPerson, TestPerson]
    const { id } = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
    this.#chat = id
    await alice.say(id, 'first')
    await Promise.all([bob.hears('first'), carol.hears('first')])
    await bob.say(carol, 'first of two')
    await carol.hears('first of two')
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case 'say':
        return await this.#attempt(this.#person(step.who), this.#chat)
      case 'say alone':
        return await this.#attempt(this.#person(step.who), this.#person(step.who === 'carol' ? 'bob' : 'carol'))
      case 'rename':
        await this.#person('alice')
          .client.chats.renameGroup(this.#chat, `name ${++this.#count}`, WITHIN)
          .catch(() => undefined)
        return
      case 'back up':
        return step.what === 'relay' ? await this.#backUpRelay() : await this.#backUp(step.what)
      case 'restore':
        return step.what === 'relay' ? await this.#restoreRelay() : await this.#restore(step.what)
    }
  }

  /** All receive each other's messages in the end, after any history. */
  async assertAllHear(): Promise<void> {
    for (const name of names) {
      const from = this.#person(name)
      const others = names.filter(other => other !== name).map(other => this.#person(other))
      const text = `${name} at the end`
      await this.#saySoon(from, this.#chat, text)
      for (const other of others) await this.#hears(other, text)
    }
    await this.#saySoon(this.#person('bob'), this.#person('carol'), 'two at the end')
    await this.#hears(this.#person('carol'), 'two at the end')
    expect([...used].filter(([, times]) => times > 1)).toEqual([])
  }

  async #attempt(from: TestPerson, to: TestPerson | string): Promise<void> {
    this.#clock.advance(SECOND_MS)
    await from.say(to as TestPerson, `text ${++this.#count}`).catch(() => undefined)
  }

  async #saySoon(from: TestPerson, to: TestPerson | string, text: string): Promise<void> {
    const isSaid = async () => {
      this.#clock.advance(SECOND_MS)
      return await from.say(to as TestPerson, text).then(
        () => 'said',
        (error: unknown) => String((error as { code?: string }).code ?? error),
      )
    }
    await expect.poll(isSaid, { timeout: WITHIN.timeoutMs, interval: 50 }).toBe('said')
  }

  async #hears(person: TestPerson, text: string): Promise<void> {
    const isHeard = () => {
      this.#clock.advance(SECOND_MS)
      return person.client.chats.list().some(({ id }) => person.texts(id).includes(text))
    }
    await expect.poll(isHeard, { timeout: WITHIN.timeoutMs, interval: 50 }).toBe(true)
  }

  #person(name: Name): TestPerson {
    const person = this.#people.get(name)
    if (!person) throw new TypeError(name)
    return person
  }

  async #open(name: Name): Promise<void> {
    this.#people.set(name, await this.#timePasses(this.#world.person(name, { clock: this.#clock })))
  }

  /** A client that finds itself restored connects again after a pause, by the clock of the test. */
  async #timePasses<T>(work: Promise<T>): Promise<T> {
    let isOver = false
    const over = Promise.allSettled([work]).finally(() => (isOver = true))
    const passes = () => {
      this.#clock.advance(SECOND_MS)
      return isOver
    }
    await expect.poll(passes, { timeout: WITHIN.timeoutMs }).toBe(true)
    await over
    return await work
  }

  async #backUp(name: Name): Promise<void> {
    const again = this.#world.backUp(this.#person(name), { clock: this.#clock })
    this.#people.set(name, await this.#timePasses(again))
  }

  async #restore(name: Name): Promise<void> {
    const person = this.#person(name)
    if (!existsSync(backupOf(person))) return
    const restored = this.#world.restore(person, { clock: this.#clock })
    this.#people.set(name, await this.#timePasses(restored))
  }

  async #backUpRelay(): Promise<void> {
    rmSync(join(this.#world.directory, 'relay-backup'), { recursive: true, force: true })
    await this.#world.backUpRelay()
    this.#isRelayKept = true
    await this.#online()
  }

  async #restoreRelay(): Promise<void> {
    if (!this.#isRelayKept) return
    await this.#world.restoreRelay()
    await this.#online()
  }

  async #online(): Promise<void> {
    const areOnline = () => {
      this.#clock.advance(SECOND_MS)
      return names.every(name => this.#person(name).client.isOnline)
    }
    await expect.poll(areOnline, { timeout: WITHIN.timeoutMs }).toBe(true)
  }
}

async function playHistory(steps: readonly Step[]): Promise<void> {
  used.clear()
  const world = await World.start()
  try {
    const history = new History(world)
    await history.begin()
    for (const one of steps) await history.play(one)
    await history.assertAllHear()
  } finally {
    await world.stop()
  }
}

const RUNS = timesFrom('POSTERN_RESTORE_RUNS', { change: 3, campaign: 20 })

test('[CORE-12.17, CORE-12.18] any history of backups and restores leaves every chat going on, and no key used twice', async () => {
  const histories = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), playHistory)
  await fc.assert(histories, { numRuns: RUNS, endOnFailure: true, seed: seedFrom('POSTERN_RESTORE_SEED') })
}, 600_000)

test('[CORE-12.18] one backup is restored twice, each time with the relay: other draws lead to other keys', async () => {
  const world = await World.start()
  try {
    const bob = await world.person('bob')
    let alice = await world.person('alice')
    await alice.say(bob, 'before')
    await bob.hears('before')
    // Otherwise bob would carry the chat on, and alice would not need the keys that she may have used.
    await world.close(bob)
    alice = await world.backUp(alice)
    await world.backUpRelay()
    for (const drawn of [5, 5 + 32]) {
      await world.putBack(alice)
      await world.restoreRelay()
      alice = await world.person('alice')
      const { provider } = alice.client['core']
      const { randomBytes } = provider
      provider.randomBytes = bytes => (bytes <= 2 ? Uint8Array.of(drawn, 0).subarray(0, bytes) : randomBytes(bytes))
      await alice.say(bob, `after a restore with ${drawn}`)
    }
    expect([...used].filter(([, times]) => times > 1)).toEqual([])
  } finally {
    await world.stop()
  }
})
