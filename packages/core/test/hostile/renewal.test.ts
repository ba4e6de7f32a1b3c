// Keys are renewed automatically: a thief of older ones reads nothing more from then on.
import { epoch, type GroupSession } from '@postern/mls'
import { type ChatId, clientLimits } from '@postern/protocol'
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { type Pass, passTime, type TestPerson, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { nextRenewalMs, soonRenewalMs } from '../../src/groups/renewal.ts'
import { canRead, coreOf, groupOf } from './modified-client.ts'

const DAY_MS = 24 * 3600 * 1000

const sessionOf = (person: TestPerson, chat: ChatId): Promise<GroupSession> =>
  coreOf(person).groups.run(groupOf(person, chat), async live => live.session)
const epochAt = async (person: TestPerson, chat: ChatId): Promise<number> => epoch(await sessionOf(person, chat))

const test = base.extend('alice', ({ clock, world }) => world.person('alice', { clock }))

test.beforeEach(async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
})

test('[CORE-14.14] after days the keys are others, and who has the old ones reads nothing', async ({
  clock,
  alice,
  bob,
}) => {
  const stolen = await sessionOf(bob, alice.chatId)
  const before = await epochAt(alice, bob.chatId)
  clock.leap(10 * DAY_MS)
  await passTime(clock, expect.poll(() => epochAt(alice, bob.chatId)).toBeGreaterThan(before))
  await expect.poll(() => epochAt(bob, alice.chatId)).toBe(await epochAt(alice, bob.chatId))
  let wire: Uint8Array | undefined
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind === 'call' && frame.name === 'appendMarked' && !frame.request.to) wire = frame.request.payload
    return [bytes]
  }
  await passTime(clock, alice.say(bob, 'after the renewal'))
  await bob.hears('after the renewal')
  expect(wire && (await canRead(stolen, wire))).toBe(false)
})

test('[CORE-14.14] and not before: a day changes nothing', async ({ clock, alice, bob }) => {
  const before = await epochAt(alice, bob.chatId)
  clock.leap(DAY_MS)
  await passTime(clock, alice.online())
  clock.leap(clientLimits.renewKeysEveryMs)
  await passTime(clock, alice.online())
  await passTime(clock, alice.say(bob, 'a mark'))
  await bob.hears('a mark')
  expect(await epochAt(alice, bob.chatId)).toBe(before)
})

/** The relay has handed out all the others: from now on every welcome uses the same key package. */
const withLastResortAlone: Pass = bytes => {
  const frame = decodeClientFrame(bytes.slice())
  if (frame.kind !== 'call' || frame.name !== 'publishKeyPackages') return [bytes]
  return [encodeClientFrame({ ...frame, request: { ...frame.request, oneTime: [] } })]
}

test('[CORE-14.15] who was let in by a last resort package renews its keys at once', async ({ world, bob }) => {
  const wire = new Wire()
  wire.outgoing = withLastResortAlone
  const carol = await world.person('carol', { wire })
  await bob.say(carol, 'hello carol')
  await carol.hears('hello carol')
  await expect.poll(() => epochAt(carol, bob.chatId)).toBeGreaterThan(1)
  await expect.poll(() => epochAt(bob, carol.chatId)).toBeGreaterThan(1)
  await bob.say(carol, 'with new keys')
  await carol.hears('with new keys')
})

test('[CORE-14.14] a large group has no more to follow than a small one, and its members do not come all at once', ({
  clock,
  alice,
}) => {
  const fixed = { elapsed: clock, provider: coreOf(alice).provider }
  const waits = (members: number) =>
    Array.from({ length: 1000 }, () => nextRenewalMs(fixed, members) - clock.nowMs()).toSorted((a, b) => a - b)
  const days = (ms = 0) => ms / DAY_MS
  const [small, large] = [waits(2), waits(1000)]
  expect(days(small[0])).toBeGreaterThan(5)
  expect(days(small.at(-1))).toBeLessThan(9)
  expect(days(large[0])).toBeGreaterThan(100)
  // In any hour of the time over which they are spread: a few of a thousand, not all.
  const inOneHour = large.filter(ms => ms - (large[0] ?? 0) < DAY_MS / 24).length
  expect(inOneHour).toBeLessThan(20)
  expect(soonRenewalMs(fixed, 2)).toBe(0)
  expect(soonRenewalMs(fixed, 1000)).toBeGreaterThanOrEqual(clock.nowMs())
})
