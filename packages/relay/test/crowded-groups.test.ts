// Groups whose devices cannot be pushed to for now: how often the pusher looks at them.
import { pushLimits } from '@postern/protocol'
import { ManualClock } from '@postern/testkit/clock'
import { expect, test } from 'vitest'
import { CrowdedGroups } from '../src/push/crowded-groups.ts'
import { StoppableTimers } from '../src/push/stoppable-timers.ts'
import { goAway, passing, pushesOf, pushService, pushWorld, say } from './push-fixture.ts'
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

test('[RELAY-10.33] a device of another service that joins a crowded group is pushed to after this time', async () => {
  const [ours, theirs] = [await pushService(), await pushService()]
  const world = { ...(await pushWorld({ push: { hosts: [ours.origin, theirs.origin] } })), service: ours }
  const alice = await arrive(world.relay)
  const members: Connected[] = []
  while (members.length < pushLimits.failuresMax) members.push(await arrive(world.relay))
  const group = await chatOf(alice, ...members)
  const { browser, reader: carol } = await goAway(ours, await arrive(world.relay))
  for (const member of members) await goAway(theirs, member)
  theirs.reply = () => ({ status: 503 })
  await say(alice, group)
  const { clock } = world
  // The service rests, and each device would be tried again when it has rested.
  await passing(world, expect.poll(() => clock.isAwaited(pushLimits.retryMs)).toBe(true))
  await say(alice, group)
  await expect.poll(() => clock.isAwaited(pushLimits.crowdedLookMs)).toBe(true)
  await alice.commit(commitEnvelope({ group, epoch: 1 }), { add: [carol.id] })
  clock.advance(pushLimits.crowdedLookMs)
  expect(await pushesOf(world, browser, 1)).toMatchObject([{ group }])
})
