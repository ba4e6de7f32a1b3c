// The client acknowledges entries once for many: soon, before a stop, and at the next login; and nothing depends on it.
import { clientLimits } from '@postern/protocol'
import { type CallAnswer, decodeClientFrame, decodeRelayFrame } from '@postern/protocol/relay'
import { type TestPerson, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { progressOf } from '../src/journal/progress.ts'

type Told = { cursor: number; mark: number }

/** Records the traffic of a wire: acknowledgements, the relay's answer to the login, and deliveries. */
class Overheard extends Wire {
  readonly told: Told[] = []
  readonly delivered: Uint8Array[] = []
  login: CallAnswer<'authenticate'> | undefined

  override outgoing = (frame: Uint8Array): Uint8Array[] => {
    const decoded = decodeClientFrame(frame)
    if (decoded.kind === 'acknowledge') this.told.push({ cursor: decoded.cursor, mark: decoded.mark })
    return [frame]
  }

  override incoming = (frame: Uint8Array): Uint8Array[] => {
    const decoded = decodeRelayFrame(frame)
    if (decoded.kind === 'deliver') this.delivered.push(frame)
    if (decoded.kind === 'answer' && decoded.name === 'authenticate') this.login = decoded.answer
    return [frame]
  }
}

const reachedBy = (person: TestPerson): Told => progressOf(person.client['core'].store)

const test = base
  .extend('wire', () => new Overheard())
  /** His clock is stopped: only acknowledgements that do not wait for time are sent. */
  .extend('bob', ({ world, clock, wire }) => world.person('bob', { clock, wire }))

test.beforeEach(async ({ alice, bob, clock, wire }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  // A client that has answered sends nothing more on its own: that would carry an acknowledgement.
  await bob.say(alice, 'back')
  await alice.hears('back')
  await alice.say(bob, 'settled')
  await bob.hears('settled')
  await expect.poll(() => clock.isAwaited(clientLimits.acknowledgeWithinMs)).toBe(true)
  clock.advance(clientLimits.acknowledgeWithinMs)
  wire.told.splice(0)
})

test('[CORE-3.5] many that come within a moment are told together', async ({ alice, bob, clock, wire }) => {
  for (let at = 0; at < 10; at++) await alice.say(bob, `m${at}`)
  await bob.hears('m9')
  expect(wire.told).toEqual([])
  await expect.poll(() => clock.isAwaited(clientLimits.acknowledgeWithinMs)).toBe(true)
  clock.advance(clientLimits.acknowledgeWithinMs)
  expect(wire.told).toEqual([reachedBy(bob)])
})

test('[CORE-3.5] so many that the relay would wait for it are told at once', async ({ alice, bob, wire }) => {
  const count = clientLimits.acknowledgeEntriesMax
  await Promise.all(Array.from({ length: count }, (_, at) => alice.say(bob, `m${at}`)))
  await bob.hears(`m${count - 1}`)
  await expect.poll(() => wire.told.length).toBe(1)
})

test('[CORE-3.5] a stop tells what is left', async ({ world, alice, bob, wire }) => {
  await alice.say(bob, 'last')
  await bob.hears('last')
  const reached = reachedBy(bob)
  await world.close(bob)
  expect(wire.told).toEqual([reached])
  const later = new Overheard()
  await world.person('bob', { wire: later })
  expect(later.login).toMatchObject(reached)
})

test('[CORE-3.5] what was not told before a kill is told at the next login, and read neither again nor twice', async ({
  world,
  alice,
  bob,
  wire,
}) => {
  await alice.say(bob, 'unheard of')
  await bob.hears('unheard of')
  const reached = reachedBy(bob)
  const again = wire.delivered.at(-1) ?? new Uint8Array()
  wire.cut()
  await world.close(bob)
  expect(wire.told).toEqual([])

  const later = new Overheard()
  const reopened = await world.person('bob', { wire: later })
  expect(later.login?.cursor).toBeLessThan(reached.cursor)
  expect(later.told[0]).toEqual(reached)
  expect(later.delivered).toEqual([])
  // A relay that delivers it again all the same changes nothing.
  later.inject(again)
  await alice.say(reopened, 'and on')
  await reopened.hears('and on')
  expect(reopened.texts(alice)).toEqual(['first', 'back', 'settled', 'unheard of', 'and on'])
})

test('[CORE-3.6] ahead of every message the relay is told of its key, and of many together once', async ({
  alice,
  bob,
}) => {
  let mark = 0
  const before = reachedBy(alice).mark
  const marks: number[] = []
  let told = 0
  alice.wire.outgoing = frame => {
    const decoded = decodeClientFrame(frame)
    if (decoded.kind === 'acknowledge') {
      mark = decoded.mark
      told += 1
    }
    // A receipt to one member is sealed without a key of the group, so the mark does not count it.
    const isKeyed = decoded.kind === 'call' && decoded.name === 'appendMarked' && decoded.request.to === undefined
    if (isKeyed) marks.push(mark)
    return [frame]
  }
  await Promise.all(Array.from({ length: 30 }, (_, at) => alice.say(bob, `m${at}`)))
  expect(marks).toHaveLength(30)
  for (const [at, known] of marks.entries()) expect(known).toBeGreaterThanOrEqual(before + at + 1)
  expect(told).toBeLessThan(30)
})
