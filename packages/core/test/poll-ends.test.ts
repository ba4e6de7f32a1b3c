// The end of a poll by time: reported once, when every vote that the relay accepted before it was read.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message, Poll } from '@postern/bot-api/objects'
import { clientLimits } from '@postern/protocol'
import { HostileRelay, ManualClock, passTime, type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { PollEnds } from '../src/upkeep/poll-ends.ts'
import { coreOf } from './hostile/modified-client.ts'

const HOUR_MS = 3_600_000
const TEA = { question: 'Tea?', options: ['yes', 'no'], multiple: false }

const votersOf = (poll: Poll | undefined) => poll?.options.map(({ voters }) => voters.map(({ name }) => name))
const pollEvents = ({ client }: TestPerson) =>
  client.journal
    .read(0, 1000)
    .map(({ json }) => JSON.parse(json) as { type: string; message: Message })
    .filter(event => event.type === 'poll')
    .map(({ message }) => message.poll)
const closings = (person: TestPerson) => pollEvents(person).filter(poll => poll?.closed)
const nextClosing = async (person: TestPerson) =>
  (await person.next('poll', event => event.message.poll?.closed === true)).message.poll

const test = base
  // Both clocks agree at first.
  .extend('clock', ({ relayClock }) => new ManualClock(relayClock.nowMs()))
  .extend('worldOptions', ({ relayClock }) => ({ relayClock }))
  .extend('bob', ({ world, relayClock }) => world.person('bob', { clock: relayClock }))
  .extend('carol', ({ world, clock }) => world.person('carol', { clock }))
  /** Carol's poll for bob, open for an hour. */
  .extend('asked', async ({ bob, carol, clock }) => {
    const poll = { ...TEA, closeTs: clock.nowMs() + HOUR_MS }
    const asked = await carol.client.messages.sendPoll(bob.chatId, poll, WITHIN)
    await bob.next('message', event => event.message.id === asked.id)
    return asked
  })
  .extend('vote', ({ asked }) => async (person: TestPerson, other: TestPerson, option: number) => {
    await person.client.messages.vote(other.chatId, { message: asked.id, options: [option] }, WITHIN)
  })
  /** Carol has read a message of bob's: everything before it was reported. */
  .extend('settled', ({ bob, carol }) => async (): Promise<void> => {
    await bob.say(carol, 'and now?')
    await carol.hears('and now?')
  })

test('[CORE-6.5] one that ended while this client was away is told with the votes that wait for it', async ({
  world,
  clock,
  relayClock,
  bob,
  carol,
  vote,
}) => {
  await world.close(carol)
  await vote(bob, carol, 1)
  for (const one of [clock, relayClock]) one.leap(HOUR_MS)
  const wire = new Wire()
  wire.hold()
  const opened = world.person('carol', { clock, wire })
  await expect.poll(() => wire.held.length).toBeGreaterThan(0)
  clock.advance(1)
  wire.release()
  const reopened = await opened
  expect(votersOf(await nextClosing(reopened))).toEqual([[], ['bob']])
  expect(closings(reopened)).toHaveLength(1)
})

test('[CORE-6.5] while the relay is out of reach it stays open, and is told when all was read', async ({
  clock,
  relayClock,
  bob,
  carol,
  asked,
  vote,
}) => {
  carol.wire.cut()
  await vote(bob, carol, 0)
  for (const one of [clock, relayClock]) one.leap(HOUR_MS)
  await carol.client.identity.setProfile({ about: 'something that is written' })
  expect(closings(carol)).toEqual([])
  expect(carol.client.messages.get(bob.chatId, asked.id).poll).toMatchObject({ closed: false })
  await expect(vote(carol, bob, 1)).rejects.toThrow('The poll is closed.')
  carol.wire.mend()
  expect(votersOf(await passTime(clock, nextClosing(carol)))).toEqual([['bob'], []])
})

test('[CORE-6.5] a vote that is on its way when the time has come counts, over a connection that stays', async ({
  clock,
  relayClock,
  bob,
  carol,
  vote,
}) => {
  const relay = new HostileRelay(carol.wire)
  const late = relay.holdBack(frame => frame.kind === 'deliver')
  await vote(bob, carol, 1)
  relayClock.leap(HOUR_MS)
  clock.leap(HOUR_MS)
  await carol.client.identity.setProfile({ about: 'something that is written' })
  await expect.poll(() => late.length).toBeGreaterThan(0)
  expect(closings(carol)).toEqual([])
  relay.repent()
  for (const frame of late) relay.say(frame)
  expect(votersOf(await nextClosing(carol))).toEqual([[], ['bob']])
})

test('[CORE-6.5] one that is closed here is told with the votes from before that are still on their way', async ({
  bob,
  carol,
  asked,
  vote,
}) => {
  const relay = new HostileRelay(carol.wire)
  const late = relay.holdBack(frame => frame.kind === 'deliver')
  await vote(bob, carol, 1)
  await expect.poll(() => late.length).toBeGreaterThan(0)
  await carol.client.messages.closePoll(bob.chatId, asked.id, WITHIN)
  expect(carol.client.messages.get(bob.chatId, asked.id).poll).toMatchObject({ closed: true })
  await carol.client.identity.setProfile({ about: 'something that is written' })
  expect(pollEvents(carol)).toEqual([])
  relay.repent()
  for (const frame of late) relay.say(frame)
  expect(votersOf(await nextClosing(carol))).toEqual([[], ['bob']])
  expect(pollEvents(carol)).toHaveLength(1)
})

test('[CORE-6.5] by the time of the relay, should this clock be ahead of it', async ({
  clock,
  relayClock,
  bob,
  carol,
  vote,
  settled,
}) => {
  clock.leap(HOUR_MS + 1000)
  await carol.client.whenOnline(WITHIN)
  await settled()
  expect(closings(carol)).toEqual([])
  await vote(bob, carol, 0)
  await carol.next('poll')
  relayClock.leap(HOUR_MS)
  expect(closings(carol)).toEqual([])
  clock.advance(60_000)
  expect(votersOf(await nextClosing(carol))).toEqual([['bob'], []])
})

test('[CORE-6.5] one whose time has almost come is looked at again: the relay may have set our time back by a moment', async ({
  clock,
  relayClock,
  carol,
  asked,
}) => {
  const core = coreOf(carol)
  const timersOfTend = async (): Promise<number> => {
    const before = clock.timerCount
    await new PollEnds(core).tend()
    return clock.timerCount - before
  }
  expect(await timersOfTend()).toBe(0)
  for (const one of [clock, relayClock]) one.leap((asked.poll?.close_ts ?? 0) - clock.nowMs() - 5)
  expect(await timersOfTend()).toBe(1)
})

test('[CORE-6.5] a relay whose time never comes to the end is not asked without a pause', async ({
  clock,
  relayClock,
  carol,
  asked,
}) => {
  let askedCount = 0
  new HostileRelay(carol.wire).changeAnswer('mailboxEnd', answer => {
    askedCount += 1
    return { ...answer, nowMs: (asked.poll?.close_ts ?? 0) - 1 }
  })
  for (const one of [clock, relayClock]) one.leap(HOUR_MS)
  await passTime(clock, expect.poll(() => askedCount).toBeGreaterThan(0))
  await carol.client.whenOnline(WITHIN)
  const before = askedCount
  for (let ms = 0; ms < clientLimits.pollEndAskedAgainMs; ms++) {
    clock.advance(1)
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }
  expect(askedCount - before).toBeLessThanOrEqual(2)
  expect(closings(carol)).toEqual([])
})

test("[CORE-6.5] with one's own vote, the answer to which is still under way", async ({
  clock,
  relayClock,
  bob,
  carol,
  vote,
}) => {
  for (const one of [relayClock, clock]) one.leap(HOUR_MS - 1000)
  await passTime(clock, carol.client.whenOnline(WITHIN))
  await passTime(relayClock, bob.client.whenOnline(WITHIN))
  const relay = new HostileRelay(carol.wire)
  const late = relay.holdBack(frame => frame.kind === 'answer' && frame.name === 'appendMarked')
  const voted = vote(carol, bob, 1)
  await bob.next('poll')
  for (const one of [relayClock, clock]) one.advance(1000)
  expect(votersOf(await nextClosing(carol))).toEqual([[], ['carol']])
  relay.repent()
  for (const frame of late) relay.say(frame)
  await voted
})

test('[CORE-21.5] by the time that passed, should this clock be set back', async ({
  clock,
  relayClock,
  bob,
  carol,
  vote,
}) => {
  clock.set(-72 * HOUR_MS)
  await vote(bob, carol, 0)
  for (const one of [relayClock, clock]) one.leap(HOUR_MS)
  expect(votersOf(await passTime(clock, nextClosing(carol)))).toEqual([['bob'], []])
})

test('[CORE-21.5] by the time of the relay, should this clock be some minutes behind it', async ({
  clock,
  relayClock,
  bob,
  carol,
  vote,
}) => {
  await vote(bob, carol, 0)
  for (const one of [relayClock, clock]) one.leap(HOUR_MS - 5 * 60_000)
  await passTime(clock, carol.client.whenOnline(WITHIN))
  expect(closings(carol)).toEqual([])
  relayClock.set(5 * 60_000)
  expect(votersOf(await passTime(clock, nextClosing(carol)))).toEqual([['bob'], []])
  expect(clock.nowMs()).toBeLessThan(relayClock.nowMs() - 60_000)
  await expect(vote(carol, bob, 1)).rejects.toThrow('The poll is closed.')
})
