// Unused key packages grow old, and taken ones run out: a client that stays connected handles both.
import { clientLimits } from '@postern/protocol'
import { type CallRequest, decodeClientFrame, decodeRelayFrame, encodeClientFrame } from '@postern/protocol/relay'
import { HostileRelay, ManualClock, passTime, type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { openDataDirectory } from '../src/storage/directory/data-directory-node.ts'

const DAY_MS = 24 * 3600 * 1000
const patience = { timeout: WITHIN.timeoutMs, interval: 10 }

type Calls = { logins: number; pings: number; open: Set<number>; published: CallRequest<'publishKeyPackages'>[] }

/** The calls of a client to its relay, and those without an answer yet. */
function watched(): { wire: Wire; calls: Calls } {
  const wire = new Wire()
  const calls: Calls = { logins: 0, pings: 0, open: new Set(), published: [] }
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call') return [bytes]
    if (frame.name === 'authenticate') calls.open.clear()
    if (frame.name === 'authenticate') calls.logins++
    calls.open.add(frame.id)
    if (frame.name === 'ping') calls.pings++
    if (frame.name === 'publishKeyPackages') calls.published.push(frame.request)
    return [bytes]
  }
  wire.incoming = bytes => {
    const frame = decodeRelayFrame(bytes.slice())
    if (frame.kind === 'answer' || frame.kind === 'failure') calls.open.delete(frame.id)
    return [bytes]
  }
  return { wire, calls }
}

const madeOf = ({ published }: Calls): number => published.reduce((sum, { oneTime }) => sum + oneTime.length, 0)

async function fullyPublished(calls: Calls): Promise<void> {
  await expect.poll(() => madeOf(calls), patience).toBe(clientLimits.keyPackagesTarget)
}

/** As a stranger that wants to use them up does; the relay's limit is per taker. */
async function takeAndForget(taker: TestPerson, { of, times }: { of: TestPerson; times: number }): Promise<void> {
  const wanted = { accounts: [of.id] }
  for (let taken = 0; taken < times; taken++) await callAs(taker, wanted)
}

/** Past the client, over its own connection: the client would build a group with the key packages. */
async function callAs(taker: TestPerson, request: CallRequest<'takeKeyPackages'>): Promise<void> {
  const id = 0x7fff_0000 + ++lastCall
  const { promise, resolve } = Promise.withResolvers<void>()
  taker.wire.incoming = bytes => {
    const frame = decodeRelayFrame(bytes.slice())
    if (frame.kind === 'answer' && frame.id === id) resolve()
    return [bytes]
  }
  taker.wire.say(encodeClientFrame({ kind: 'call', name: 'takeKeyPackages', id, request }))
  await promise
}
let lastCall = 0

const test = base
  .extend('clock', () => new ManualClock())
  /** Day by day, over one connection: each ping is answered before the next is due. */
  .extend('passDays', ({ clock }) => async (days: number, calls: Calls): Promise<void> => {
    for (let day = 0; day < days; day++) {
      const { pings } = calls
      clock.leap(DAY_MS)
      await expect.poll(() => calls.pings > pings && calls.open.size === 0, patience).toBe(true)
    }
  })
  /** The references of the keys in the database; ends the person's process. */
  .extend('referencesOf', ({ world }) => async (person: TestPerson): Promise<string[]> => {
    await world.close(person)
    const database = openDataDirectory(person.directory)
    const rows = database.all<{ reference: Uint8Array }>('SELECT reference FROM key_package WHERE last_resort = 0')
    database.close()
    return rows.map(({ reference }) => Buffer.from(reference).toString('hex'))
  })

test('[CORE-16.1] who is quiet for a hundred days is reached by newcomers, without a new connection', async ({
  clock,
  world,
  passDays,
}) => {
  const { wire, calls } = watched()
  const bot = await world.person('bot', { bot: true, clock, wire })
  await fullyPublished(calls)
  await passDays(100, calls)
  expect(calls.logins).toBe(1)
  const alice = await world.person('alice', { clock })
  await alice.say(bot, 'are you still there?')
  await bot.hears('are you still there?')
  await bot.say(alice, 'I am')
  await alice.hears('I am')
  const all = calls.published.filter(({ replace, oneTime }) => replace && oneTime.length > 0)
  expect(all.length).toBeGreaterThanOrEqual(3)
  expect(all.length).toBeLessThanOrEqual(5)
  const lastResorts = calls.published.filter(({ lastResort }) => lastResort)
  expect(lastResorts.length).toBeGreaterThanOrEqual(10)
  expect(lastResorts.length).toBeLessThanOrEqual(20)
})

test('[CORE-16.2] what was taken and never used is found out while connected, and filled up', async ({
  clock,
  world,
  passDays,
}) => {
  const { wire, calls } = watched()
  const bot = await world.person('bot', { bot: true, clock, wire })
  await fullyPublished(calls)
  const takers = await Promise.all(['carol', 'dave', 'erin', 'frank'].map(name => world.person(name)))
  for (const taker of takers) await takeAndForget(taker, { of: bot, times: 20 })
  const before = calls.published.length
  await passDays(1, calls)
  await expect.poll(() => madeOf(calls), patience).toBe(clientLimits.keyPackagesTarget + 80)
  expect(calls.published.length).toBeLessThanOrEqual(before + 2)
  expect(calls.logins).toBe(1)
})

test('[CORE-16.2] a relay that always claims to have none is not given more with every message', async ({
  clock,
  world,
}) => {
  const bob = await world.person('bob', { clock })
  const alice = await world.person('alice', { clock })
  const relay = new HostileRelay(alice.wire)
  let published = 0
  relay.answerInstead('publishKeyPackages', () => {
    published++
    return { keyPackages: 0 }
  })
  relay.changeAnswer('authenticate', session => ({ ...session, keyPackages: 0 }))
  alice.wire.drop()
  await passTime(clock, alice.online())
  for (const text of ['one', 'two', 'three']) {
    await alice.say(bob, text)
    await bob.hears(text)
    await bob.say(alice, `${text}, too`)
    await alice.hears(`${text}, too`)
  }
  await expect.poll(() => published, patience).toBe(1)
})

test('[CORE-16.1] packages that were made under a clock that was ahead are replaced once it is right', async ({
  clock,
  world,
}) => {
  const { wire, calls } = watched()
  const ahead = await world.person('bot', { bot: true, clock: new ManualClock(clock.nowMs() + 60 * DAY_MS), wire })
  await fullyPublished(calls)
  await world.close(ahead)
  const bot = await world.person('bot', { bot: true, clock, wire })
  await expect.poll(() => madeOf(calls), patience).toBe(2 * clientLimits.keyPackagesTarget)
  const alice = await world.person('alice', { clock })
  await alice.say(bot, 'hello')
  await bot.hears('hello')
})

test('[CORE-16.3] keys of replaced packages open what is under way, and are erased when nothing can be any more', async ({
  clock,
  world,
  referencesOf,
  passDays,
}) => {
  const { wire, calls } = watched()
  const options = { bot: true, clock, wire }
  const bot = await world.person('bot', options)
  await fullyPublished(calls)
  const old = await referencesOf(bot)
  expect(old).toHaveLength(clientLimits.keyPackagesTarget)

  const second = await world.person('bot', options)
  await passDays(clientLimits.keyPackageReplacedAfterMs / DAY_MS + 2, calls)
  await expect.poll(() => madeOf(calls), patience).toBe(2 * clientLimits.keyPackagesTarget)
  expect(await referencesOf(second)).toEqual(expect.arrayContaining(old))

  const third = await world.person('bot', options)
  await passDays(clientLimits.keyPackageKeptMs / DAY_MS + 2, calls)
  const left = await referencesOf(third)
  expect(left.filter(reference => old.includes(reference))).toEqual([])
  expect(left.length).toBeGreaterThanOrEqual(clientLimits.keyPackagesTarget)
})
