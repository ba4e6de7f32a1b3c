// A relay that lies about time: it orders what is said, and can do so only within narrow bounds.
import { clientLimits, type MessageId } from '@postern/protocol'
import { HostileRelay, type Person, WITHIN, World } from '@postern/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
let alice: Person
let bob: Person
let relay: HostileRelay

beforeEach(async () => {
  world = await World.start()
  alice = await world.person('alice')
  bob = await world.person('bob')
  await alice.say(bob, 'hello bob')
  await bob.hears('hello bob')
  relay = new HostileRelay(bob.wire)
})
afterEach(() => world.stop())

test('[CORE-14.11] a message of the far future is shown as of now, and those after it behind it', async () => {
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: Number.MAX_SAFE_INTEGER })))
  await alice.say(bob, 'from the future')
  const { ts } = await bob.hears('from the future')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
  relay.repent()
  await alice.say(bob, 'from now')
  expect((await bob.hears('from now')).ts).toBeGreaterThan(ts)
})

test('[CORE-14.11] times that run back change no order', async () => {
  let claimed = Date.now()
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: (claimed -= 60_000) })))
  const words = ['one', 'two', 'three']
  for (const text of words) await alice.say(bob, text)
  await bob.hears('three')
  expect(bob.texts(alice)).toEqual(['hello bob', ...words])
})

test('[CORE-14.11] a vote cannot be moved back before the end of a poll that is long closed', async () => {
  const poll = await bob.client.sendPoll(
    alice.chatId,
    { question: 'Well?', options: ['yes', 'no'], multiple: false },
    WITHIN,
  )
  await alice.next('message', event => event.message.id === poll.id)
  // Alice does not hear of the end, and votes.
  const blinding = new HostileRelay(alice.wire)
  blinding.changeEntries(() => [])
  await bob.client.closePoll(alice.chatId, poll.id as MessageId, WITHIN)
  await alice.say(bob, 'behind the end')
  await bob.hears('behind the end')
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: poll.ts + 1 })))
  await alice.client.vote(bob.chatId, { message: poll.id as MessageId, options: [0] }, WITHIN)
  await alice.say(bob, 'a mark')
  await bob.hears('a mark')
  const shown = bob.client.message(alice.chatId, poll.id as MessageId).poll
  expect(shown).toMatchObject({ closed: true, options: [{ votes: 0 }, { votes: 0 }] })
})

test('[CORE-14.11] one’s own message does not stand in the far future either', async () => {
  relay.changeAnswer('append', answer => ({
    ...answer,
    ...(answer.accepted && { accepted: { ...answer.accepted, ts: Number.MAX_SAFE_INTEGER } }),
  }))
  const { ts } = await bob.say(alice, 'now')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
})

test('[CORE-14.11] places in the log that the relay makes up keep nobody back once it tells the truth', async () => {
  const lie = { seq: Number.MAX_SAFE_INTEGER, ts: Number.MAX_SAFE_INTEGER }
  relay.changeAnswer('append', answer => ({
    ...answer,
    ...(answer.accepted && { accepted: { ...answer.accepted, ...lie } }),
  }))
  const { ts } = await bob.say(alice, 'far ahead')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
  relay.repent()
  const said = await alice.say(bob, 'from now')
  expect((await bob.hears('from now')).ts).toBe(said.ts)
})
