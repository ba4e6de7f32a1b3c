// Groups whose devices cannot be pushed to for now: how often the pusher looks at them.
import { pushLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { isOnPostgres } from '@postern/testkit/test-databases'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CrowdedGroups } from '../src/push/crowded-groups.ts'
import { StoppableTimers } from '../src/push/stoppable-timers.ts'
import { DueRows } from '../src/store/sqlite/push/due-rows.ts'
import { goAway, type PushWorld, passing, pushesOf, pushService, pushWorld, say } from './push-fixture.ts'
import { arrive, type Connected, chatOf } from './relay-fixture.ts'
import { commitEnvelope } from './test-client.ts'

function crowdedGroups() {
  const clock = new ManualClock()
  const lookedAt: number[] = []
  const soon = new StoppableTimers(clock)
  const crowded = new CrowdedGroups({ soon, onTime: group => lookedAt.push(group) })
  return { clock, crowded, lookedAt }
}

test('[RELAY-10.33] what comes for a crowded group is looked for together, once its time is over', () => {
  const { clock, crowded, lookedAt } = crowdedGroups()
  crowded.add(7)
  expect([crowded.waits(7), crowded.waits(7), crowded.waits(8)]).toEqual([true, true, false])
  clock.advance(pushLimits.crowdedLookMs - 1)
  expect(lookedAt).toEqual([])
  clock.advance(1)
  expect([lookedAt, crowded.waits(7)]).toEqual([[7], false])
})

test('[RELAY-10.33] a crowded group for which nothing comes is not looked at', () => {
  const { clock, crowded, lookedAt } = crowdedGroups()
  crowded.add(7)
  clock.advance(pushLimits.crowdedLookMs)
  expect([lookedAt, crowded.waits(7)]).toEqual([[], false])
})

test('[RELAY-10.33] what has come is looked for as soon as another device leaves or a service has rested', () => {
  const { clock, crowded, lookedAt } = crowdedGroups()
  crowded.add(7)
  crowded.add(8)
  crowded.waits(8)
  crowded.clear()
  expect([lookedAt, crowded.waits(7), crowded.waits(8)]).toEqual([[8], false, false])
  clock.advance(pushLimits.crowdedLookMs)
  expect(lookedAt).toEqual([8])
})

/** A group with Alice whose devices have a push service of their own, which rests; and Carol, away, with another one. */
async function restingGroup(others: 'none' | 'one of another service' = 'none') {
  const [ours, theirs] = [await pushService(), await pushService()]
  const world = { ...(await pushWorld({ push: { hosts: [ours.origin, theirs.origin] } })), service: ours }
  const alice = await arrive(world.relay)
  const members: Connected[] = []
  while (members.length < pushLimits.failuresMax) members.push(await arrive(world.relay))
  const bob = await arrive(world.relay)
  const group = await chatOf(alice, ...members, ...(others === 'none' ? [] : [bob]))
  const [bobs, { browser, reader: carol }] = [await goAway(ours, bob), await goAway(ours, await arrive(world.relay))]
  for (const member of members) await goAway(theirs, member)
  theirs.reply = () => ({ status: 503 })
  await say(alice, group)
  const { clock } = world
  // Each device would be tried again when the service has rested.
  await passing(world, expect.poll(() => clock.isAwaited(pushLimits.retryMs)).toBe(true))
  const addCarol = () => alice.commit(commitEnvelope({ group, epoch: 1 }), { add: [carol.id] })
  return { world, clock, alice, bob, group, bobs: bobs.browser, browser, addCarol }
}

/** A message finds the group crowded. */
async function becomesCrowded({ world: { clock }, alice, group }: Awaited<ReturnType<typeof restingGroup>>) {
  // A device whose push has just failed may still be busy with it, and then the group is not crowded yet.
  await expect
    .poll(async () => {
      await say(alice, group)
      return clock.isAwaited(pushLimits.crowdedLookMs)
    })
    .toBe(true)
}

/** The pushes of a browser, while less time passes than a crowded group waits for. */
async function pushesAtOnce(world: PushWorld, ...[browser, count]: [Parameters<typeof pushesOf>[1], number]) {
  const fromMs = world.clock.monotonicMs()
  const pushes = await pushesOf(world, browser, count)
  expect(world.clock.monotonicMs() - fromMs).toBeLessThan(pushLimits.crowdedLookMs)
  return pushes
}

test('[RELAY-10.33] a device of another service that joins a crowded group is pushed to after this time', async () => {
  const resting = await restingGroup()
  const { world, clock, group, browser, addCarol } = resting
  await becomesCrowded(resting)
  await addCarol()
  clock.advance(pushLimits.crowdedLookMs)
  expect(await pushesOf(world, browser, 1)).toMatchObject([{ group }])
})

test('[RELAY-10.33] such a device is pushed to as soon as another one leaves', async () => {
  const resting = await restingGroup()
  const { world, group, browser, addCarol } = resting
  await becomesCrowded(resting)
  await addCarol()
  await goAway(world.service, await arrive(world.relay))
  expect(await pushesAtOnce(world, browser, 1)).toMatchObject([{ group }])
})

test('[RELAY-10.33] a group with a device that can be pushed to is not crowded', async () => {
  const { world, alice, group, bobs, browser, addCarol } = await restingGroup('one of another service')
  expect(await pushesOf(world, bobs, 1)).toMatchObject([{ group }])
  const dave = await arrive(world.relay)
  const chat = await chatOf(alice, dave)
  const { browser: daves } = await goAway(world.service, dave)
  // Bob's next push may go out in some seconds, and those of the others not at all.
  await say(alice, group)
  await say(alice, chat)
  await pushesOf(world, daves, 1)
  await addCarol()
  expect(await pushesAtOnce(world, browser, 1)).toMatchObject([{ group }])
})

test('[RELAY-10.33] nor is one whose last look found a device to push to now', async () => {
  const { world, alice, bob, group, bobs, browser, addCarol } = await restingGroup()
  await addCarol()
  expect(await pushesAtOnce(world, browser, 1)).toMatchObject([{ group }])
  await alice.commit(commitEnvelope({ group, epoch: 2 }), { add: [bob.id] })
  expect(await pushesAtOnce(world, bobs, 1)).toMatchObject([{ group }])
})

test.skipIf(isOnPostgres())('[RELAY-10.33] no message makes the pusher look at a crowded group', async () => {
  const resting = await restingGroup()
  const { world, alice, group } = resting
  await becomesCrowded(resting)
  const looks = vi.spyOn(DueRows.prototype, 'look')
  onTestFinished(() => looks.mockRestore())
  const dave = await arrive(world.relay)
  const chats = [await chatOf(alice, dave), await chatOf(alice, dave), await chatOf(alice, dave)]
  const { browser } = await goAway(world.service, dave)
  looks.mockClear()
  for (const [at, chat] of chats.entries()) {
    await say(alice, group)
    // A push to somebody else follows each look that the message before it has caused.
    await say(alice, chat)
    await pushesOf(world, browser, at + 1)
  }
  const groups = looks.mock.calls.flatMap(([asked]) => (asked.kind === 'group' ? [asked.group] : []))
  // Once when Dave has left, and once for each of his messages.
  expect(groups.length).toBeLessThanOrEqual(1 + chats.length)
})
