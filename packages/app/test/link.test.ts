// A page and the core: calls, views, tabs that come and go, workers that die.
import { expect, test } from 'vitest'
import { linkLimits } from '../src/link/link-limits.ts'
import { SharedViews } from '../src/link/shared-views.ts'
import { LinkWorld, type Tab } from './link-world.ts'

const lastState = (tab: Tab) => tab.states.at(-1)

async function leaderAlone() {
  const world = new LinkWorld()
  const leader = world.tab()
  leader.link.start()
  await world.settle()
  await world.core.begin()
  return { world, leader }
}

async function leaderAndFollower() {
  const { world, leader } = await leaderAlone()
  const follower = world.tab()
  follower.link.start()
  await world.settle()
  return { world, leader, follower }
}

test('[APP-6.1] One page runs the core, whatever the number of tabs', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  world.tab().link.start()
  await world.settle()
  expect(world.cores).toHaveLength(1)
  expect(lastState(leader)).toEqual({ core: 'talking', leads: true })
  expect(lastState(follower)).toEqual({ core: 'talking', leads: false })
})

test('[APP-6.2] What was asked of a core that died is asked of the next one under the same key, and answered once', async () => {
  const { world, follower } = await leaderAndFollower()
  const answer = follower.link.call('send', { chat: 'c', text: 'hello' })
  await world.settle()
  expect(world.core.asks()).toEqual([{ key: expect.any(String), name: 'send' }])
  const [asked] = world.core.asks()
  world.core.fail()
  world.clock.advance(0)
  await world.core.begin()
  expect(world.cores).toHaveLength(2)
  expect(world.core.asks()).toEqual([asked])
  const id = world.core.heard.flatMap(message => (message.kind === 'ask' ? [message.id] : []))[0]!
  world.core.answers.at(-1)!({ kind: 'answer', id, ok: null })
  world.core.answers.at(-1)!({ kind: 'answer', id, fault: { code: 'internal', message: 'late' } })
  await expect(answer).resolves.toBeNull()
  world.core.fail()
  world.clock.advance(linkLimits.restartPauseMsMax)
  await world.core.begin()
  expect(world.core.asks()).toEqual([])
})

test('[APP-6.2] A call that the core refuses rejects with its fault', async () => {
  const { world, leader } = await leaderAndFollower()
  const refused = leader.link.call('accept', { chat: 'c' })
  const fault = { code: 'chat-not-found', message: 'There is no chat c.' }
  const asked = world.core.heard.find(message => message.kind === 'ask')!
  world.core.say({ kind: 'answer', id: asked.id, fault })
  await expect(refused).rejects.toMatchObject({ fault })
})

test('[APP-6.3] What a page watches is watched at every new core, and what it has let go is not', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  leader.link.watch('chats', [], () => undefined)
  follower.link.watch('me', [], () => undefined)
  follower.link.watch('settings', [], () => undefined)()
  world.core.fail()
  world.clock.advance(0)
  await world.core.begin()
  expect(world.core.watches().toSorted()).toEqual(['chats', 'me'])
})

test('[APP-6.4] When the leading page goes, the next one leads and asks again what was not answered', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  void follower.link.call('send', { chat: 'c', text: 'hello' })
  await world.settle()
  const key = world.core.asks()[0]?.key
  leader.link.stop()
  await world.settle()
  expect(world.cores).toHaveLength(2)
  await world.core.begin()
  expect(lastState(follower)).toEqual({ core: 'talking', leads: true })
  expect(world.core.asks()).toEqual([{ key, name: 'send' }])
})

test('[APP-6.4] A page that the browser put aside begins anew when it comes back', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  leader.link.watch('chats', [], () => undefined)
  leader.link.stop()
  await world.settle()
  leader.link.start()
  await world.settle()
  await world.core.begin()
  expect(lastState(follower)?.leads).toBe(true)
  expect(lastState(leader)).toEqual({ core: 'talking', leads: false })
  expect(world.core.watches()).toContain('chats')
})

test('[APP-6.5] A worker that answers no ping for long is replaced; a busy one, and one behind a hidden page, is not', async () => {
  const { world, leader } = await leaderAlone()
  const first = world.core
  first.isStuck = true
  world.clock.advance(linkLimits.leaderPingMs * (linkLimits.silentPingsMax - 1))
  expect(first.isDead).toBe(false)
  first.isStuck = false
  world.clock.advance(linkLimits.leaderPingMs)
  first.isStuck = true
  leader.isVisible = false
  world.clock.advance(linkLimits.leaderPingMs * 20)
  expect(first.isDead).toBe(false)
  leader.isVisible = true
  world.clock.advance(linkLimits.leaderPingMs * (linkLimits.silentPingsMax + 1))
  expect(first.isDead).toBe(true)
  world.clock.advance(0)
  expect(world.cores).toHaveLength(2)
})

test('[APP-6.5] After a sleep of the machine the worker is not taken for dead', async () => {
  const { world } = await leaderAlone()
  world.clock.advance(linkLimits.leaderPingMs)
  world.core.isStuck = true
  world.clock.leap(3_600_000)
  world.core.isStuck = false
  world.clock.advance(linkLimits.leaderPingMs * 10)
  expect(world.cores).toHaveLength(1)
})

test('[APP-6.6] A worker that fails again and again is started with growing pauses, and the person is told', async () => {
  const { world, leader } = await leaderAndFollower()
  for (let failure = 0; failure <= linkLimits.restartsMax; failure++) {
    const count = world.cores.length
    world.core.fail()
    if (failure > 0) {
      world.clock.advance(linkLimits.restartPauseMs)
      expect(world.cores).toHaveLength(count)
    }
    world.clock.advance(linkLimits.restartPauseMsMax)
    expect(world.cores).toHaveLength(count + 1)
  }
  expect(lastState(leader)?.core).toBe('broken')
  await world.core.begin()
  expect(lastState(leader)?.core).toBe('talking')
})

test('[APP-6.7] A page that hears nothing for three seconds says so, and a leading page that nobody looks at gives up by itself', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  world.core.isStuck = true
  world.clock.advance(linkLimits.followerPingMs)
  world.clock.advance(linkLimits.followerPingMs)
  await world.settle()
  expect(lastState(follower)?.core).toBe('silent')
  expect(world.cores).toHaveLength(1)
  leader.isVisible = false
  world.clock.advance(linkLimits.followerPingMs)
  await world.settle()
  expect(world.cores).toHaveLength(2)
  expect(world.cores[0]?.isDead).toBe(true)
  await world.core.begin()
  expect(lastState(follower)).toEqual({ core: 'talking', leads: true })
  expect(lastState(leader)?.leads).toBe(false)
})

test('[APP-6.7] A page at which nobody looks asks nobody to give up', async () => {
  const { world, leader, follower } = await leaderAndFollower()
  world.core.isStuck = true
  leader.isVisible = false
  follower.isVisible = false
  world.clock.advance(linkLimits.followerPingMs * 10)
  await world.settle()
  expect(world.cores).toHaveLength(1)
})

test('[APP-6.8] Use here: the leading page gives up though somebody looks at it', async () => {
  const { world, follower } = await leaderAndFollower()
  follower.link.useHere()
  await world.settle()
  expect(world.cores[0]?.isDead).toBe(true)
  await world.core.begin()
  expect(lastState(follower)).toEqual({ core: 'talking', leads: true })
})

test('[APP-6.8] Use here: a leading page that is frozen loses the lock, and runs no second core when it wakes', async () => {
  const world = new LinkWorld()
  const [leader, follower] = [world.tab(), world.tab()]
  leader.link.start()
  await world.settle()
  await world.core.begin()
  follower.link.start()
  await world.settle()
  leader.isDeaf = true
  follower.link.useHere()
  await world.settle()
  expect(world.cores).toHaveLength(1)
  world.clock.advance(linkLimits.handOverMs)
  await world.settle()
  expect(world.cores).toHaveLength(2)
  expect(world.cores[0]?.isDead).toBe(true)
  expect(lastState(leader)?.leads).toBe(false)
  await world.core.begin()
  expect(lastState(follower)).toEqual({ core: 'talking', leads: true })
})

test('[APP-6.9] A page of another build than the core loads itself anew, once', async () => {
  const world = new LinkWorld()
  world.tab({ build: 'b2' }).link.start()
  await world.settle()
  await world.core.begin()
  const old = world.tab({ build: 'b1' })
  old.link.call('read', { chat: 'c' }).catch(() => undefined)
  old.link.start()
  await world.settle()
  expect(old.reloads).toBe(1)
  expect(world.core.asks()).toEqual([])
})

test('[APP-6.9] A page that is new, and meets an old core again after loading, takes the core over; the two never load each other in a circle', async () => {
  const world = new LinkWorld()
  const old = world.tab({ build: 'b1' })
  old.link.start()
  await world.settle()
  await world.core.begin()
  const fresh = world.tab({ build: 'b2' })
  fresh.memory.set('postern-reloaded-for', 'b1')
  fresh.link.start()
  await world.settle()
  expect(world.cores).toHaveLength(2)
  await world.core.begin()
  await world.settle()
  expect(lastState(fresh)).toEqual({ core: 'talking', leads: true })
  expect(fresh.reloads).toBe(0)
  expect(old.reloads).toBe(1)
})

test('[APP-6.9] A page that is to load itself anew and is still there asks for no core meanwhile, and takes none over', async () => {
  const world = new LinkWorld()
  world.tab({ build: 'b2' }).link.start()
  await world.settle()
  await world.core.begin()
  const old = world.tab({ build: 'b1' })
  old.link.start()
  await world.settle()
  await world.core.begin()
  await world.settle()
  expect(world.cores).toHaveLength(1)
  expect(old.reloads).toBe(1)
})

test('[APP-6.10] Two parts of a screen that show the same view watch it once, and the second shows at once what the first does', async () => {
  const { world, leader } = await leaderAlone()
  const views = new SharedViews((name, args, show) => leader.link.watch(name, args, show))
  const seen: unknown[] = []
  const first = views.watch('settings', [], value => seen.push(['first', value]))
  const watched = world.core.heard.find(message => message.kind === 'watch')!
  world.core.say({ kind: 'views', views: [{ id: watched.id, json: '"value"' }] })
  const second = views.watch('settings', [], value => seen.push(['second', value]))
  expect(views.known('settings', [])).toBe('value')
  expect(seen).toEqual([
    ['first', 'value'],
    ['second', 'value'],
  ])
  first()
  first()
  expect(world.core.heard.filter(message => message.kind === 'unwatch')).toEqual([])
  second()
  expect(world.core.heard.filter(message => message.kind === 'unwatch')).toHaveLength(1)
  expect(world.core.watches()).toEqual(['settings'])
})
