// The end of a poll by time: told once, when every vote that the relay accepted before it was read.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message, Poll } from '@postern/bot-api/objects'
import { clientLimits } from '@postern/protocol'
import { HostileRelay, ManualClock, type Person, passTime, WITHIN, Wire, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

const HOUR_MS = 3_600_000
const TEA = { question: 'Tea?', options: ['yes', 'no'], multiple: false }

let world: World
let relayClock: ManualClock
let clock: ManualClock
let bob: Person
let carol: Person
let asked: Message

beforeEach(async () => {
  const startMs = Date.now()
  relayClock = new ManualClock(startMs)
  clock = new ManualClock(startMs)
  world = await World.start({ relayClock })
  bob = await world.person('bob', { clock: relayClock })
  carol = await world.person('carol', { clock })
  const poll = { ...TEA, closeTs: startMs + HOUR_MS }
  asked = await carol.client.messages.sendPoll(bob.chatId, poll, WITHIN)
  await bob.next('message', event => event.message.id === asked.id)
})
afterEach(async () => {
  await world.stop()
})

const votersOf = (poll: Poll | undefined) => poll?.options.map(({ voters }) => voters.map(({ name }) => name))
const vote = (person: Person, other: Person, option: number) =>
  person.client.messages.vote(other.chatId, { message: asked.id, options: [option] }, WITHIN)
const pollEvents = () =>
  carol.client.journal
    .read(0, 1000)
    .map(({ json }) => JSON.parse(json) as { type: string; message: Message })
    .filter(event => event.type === 'poll')
    .map(({ message }) => message.poll)
const closings = () => pollEvents().filter(poll => poll?.closed)
const nextClosing = async () => (await carol.next('poll', event => event.message.poll?.closed === true)).message.poll
/** A word of bob's that carol has read: whatever was to be told before it is told. */
async function settled() {
  await bob.say(carol, 'and now?')
  await carol.hears('and now?')
}

test('[CORE-6.5] one that ended while this client was away is told with the votes that wait for it', async () => {
  await world.close(carol)
  await vote(bob, carol, 1)
  for (const one of [clock, relayClock]) one.leap(HOUR_MS)
  const wire = new Wire()
  wire.hold()
  const opened = world.person('carol', { clock, wire })
  await expect.poll(() => wire.held.length).toBeGreaterThan(0)
  clock.advance(1)
  wire.release()
  carol = await opened
  expect(votersOf(await nextClosing())).toEqual([[], ['bob']])
  expect(closings()).toHaveLength(1)
})

test('[CORE-6.5] while the relay is out of reach it stays open, and is told when all was read', async () => {
  carol.wire.cut()
  await vote(bob, carol, 0)
  for (const one of [clock, relayClock]) one.leap(HOUR_MS)
  await carol.client.identity.setProfile({ about: 'something that is written' })
  expect(closings()).toEqual([])
  expect(carol.client.messages.get(bob.chatId, asked.id).poll).toMatchObject({ closed: false })
  await expect(vote(carol, bob, 1)).rejects.toThrow('The poll is closed.')
  carol.wire.mend()
  expect(votersOf(await passTime(clock, nextClosing()))).toEqual([['bob'], []])
})

test('[CORE-6.5] a vote that is on its way when the time has come counts, over a connection that stays', async () => {
  const relay = new HostileRelay(carol.wire)
  const late: Parameters<typeof relay.say>[0][] = []
  relay.change(frame => {
    if (frame.kind !== 'deliver') return [frame]
    late.push(frame)
    return []
  })
  await vote(bob, carol, 1)
  relayClock.leap(HOUR_MS)
  clock.leap(HOUR_MS)
  await carol.client.identity.setProfile({ about: 'something that is written' })
  await expect.poll(() => late.length).toBeGreaterThan(0)
  expect(closings()).toEqual([])
  relay.repent()
  for (const frame of late) relay.say(frame)
  expect(votersOf(await nextClosing())).toEqual([[], ['bob']])
})

test('[CORE-6.5] one that is closed here is told with the votes from before that are still on their way', async () => {
  const relay = new HostileRelay(carol.wire)
  const late: Parameters<typeof relay.say>[0][] = []
  relay.change(frame => {
    if (frame.kind !== 'deliver') return [frame]
    late.push(frame)
    return []
  })
  await vote(bob, carol, 1)
  await expect.poll(() => late.length).toBeGreaterThan(0)
  await carol.client.messages.closePoll(bob.chatId, asked.id, WITHIN)
  expect(carol.client.messages.get(bob.chatId, asked.id).poll).toMatchObject({ closed: true })
  await carol.client.identity.setProfile({ about: 'something that is written' })
  expect(pollEvents()).toEqual([])
  relay.repent()
  for (const frame of late) relay.say(frame)
  expect(votersOf(await nextClosing())).toEqual([[], ['bob']])
  expect(pollEvents()).toHaveLength(1)
})

test('[CORE-6.5] by the time of the relay, should this clock be ahead of it', async () => {
  clock.leap(HOUR_MS + 1000)
  await carol.client.whenOnline(WITHIN)
  await settled()
  expect(closings()).toEqual([])
  await vote(bob, carol, 0)
  await carol.next('poll')
  relayClock.leap(HOUR_MS)
  expect(closings()).toEqual([])
  clock.advance(60_000)
  expect(votersOf(await nextClosing())).toEqual([['bob'], []])
})

test('[CORE-6.5] a relay whose time never comes to the end is not asked without a pause', async () => {
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
  expect(closings()).toEqual([])
})

test("[CORE-6.5] with one's own vote, the answer to which is still under way", async () => {
  for (const one of [relayClock, clock]) one.leap(HOUR_MS - 1000)
  await passTime(clock, carol.client.whenOnline(WITHIN))
  await passTime(relayClock, bob.client.whenOnline(WITHIN))
  const relay = new HostileRelay(carol.wire)
  const late: Parameters<typeof relay.say>[0][] = []
  relay.change(frame => {
    if (frame.kind !== 'answer' || frame.name !== 'append') return [frame]
    late.push(frame)
    return []
  })
  const voted = vote(carol, bob, 1)
  await bob.next('poll')
  for (const one of [relayClock, clock]) one.advance(1000)
  expect(votersOf(await nextClosing())).toEqual([[], ['carol']])
  relay.repent()
  for (const frame of late) relay.say(frame)
  await voted
})

test('[CORE-21.5] by the time that passed, should this clock be set back', async () => {
  clock.set(-72 * HOUR_MS)
  await vote(bob, carol, 0)
  for (const one of [relayClock, clock]) one.leap(HOUR_MS)
  expect(votersOf(await passTime(clock, nextClosing()))).toEqual([['bob'], []])
})

test('[CORE-21.5] by the time of the relay, should this clock be some minutes behind it', async () => {
  await vote(bob, carol, 0)
  for (const one of [relayClock, clock]) one.leap(HOUR_MS - 5 * 60_000)
  await passTime(clock, carol.client.whenOnline(WITHIN))
  expect(closings()).toEqual([])
  relayClock.set(5 * 60_000)
  expect(votersOf(await passTime(clock, nextClosing()))).toEqual([['bob'], []])
  expect(clock.nowMs()).toBeLessThan(relayClock.nowMs() - 60_000)
  await expect(vote(carol, bob, 1)).rejects.toThrow('The poll is closed.')
})
