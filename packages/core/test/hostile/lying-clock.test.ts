// A relay that lies about time: it orders messages, and can do so only within narrow bounds.
import { clientLimits, isCoded } from '@postern/protocol'
import { HostileRelay, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const test = base.extend('relay', ({ bob }) => new HostileRelay(bob.wire))

test.beforeEach(async ({ alice, bob }) => {
  await alice.say(bob, 'hello bob')
  await bob.hears('hello bob')
})

test('[CORE-14.11] a message of the far future is shown as of now, and those after it behind it', async ({
  alice,
  bob,
  relay,
}) => {
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: Number.MAX_SAFE_INTEGER })))
  await alice.say(bob, 'from the future')
  const { ts } = await bob.hears('from the future')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
  relay.repent()
  await alice.say(bob, 'from now')
  expect((await bob.hears('from now')).ts).toBeGreaterThan(ts)
})

test('[CORE-14.11] times that run back change no order', async ({ alice, bob, relay }) => {
  let claimed = Date.now()
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: (claimed -= 60_000) })))
  const words = ['one', 'two', 'three']
  for (const text of words) await alice.say(bob, text)
  await bob.hears('three')
  expect(bob.texts(alice)).toEqual(['hello bob', ...words])
})

test('[CORE-14.11] a vote cannot be moved back before the end of a poll that is long closed', async ({
  alice,
  bob,
  relay,
}) => {
  const poll = await bob.client.messages.sendPoll(
    alice.chatId,
    { question: 'Well?', options: ['yes', 'no'], multiple: false },
    WITHIN,
  )
  await alice.next('message', event => event.message.id === poll.id)
  // Alice does not learn of the end, and votes.
  const blinding = new HostileRelay(alice.wire)
  blinding.changeEntries(() => [])
  await bob.client.messages.closePoll(alice.chatId, poll.id, WITHIN)
  await alice.say(bob, 'behind the end')
  await bob.hears('behind the end')
  relay.changeEntries(entries => entries.map(entry => ({ ...entry, ts: poll.ts + 1 })))
  // She is not answered before she has read every entry in front of the vote.
  const voting = alice.client.messages
    .vote(bob.chatId, { message: poll.id, options: [0] }, WITHIN)
    .catch((error: unknown) => error)
  await expect.poll(() => alice.client.messages.get(bob.chatId, poll.id).poll?.voted).toEqual([0])
  await alice.say(bob, 'a mark')
  await bob.hears('a mark')
  const shown = bob.client.messages.get(alice.chatId, poll.id).poll
  expect(shown).toMatchObject({ closed: true, options: [{ votes: 0 }, { votes: 0 }] })
  blinding.repent()
  alice.wire.drop()
  expect(await voting).toSatisfy(error => isCoded(error, 'poll-closed', 'send-in-doubt'))
})

test('[CORE-14.11] one’s own message does not stand in the far future either', async ({ alice, bob, relay }) => {
  relay.changeAnswer('appendMarked', answer => ({
    ...answer,
    ...(answer.accepted && { accepted: { ...answer.accepted, ts: Number.MAX_SAFE_INTEGER } }),
  }))
  const { ts } = await bob.say(alice, 'now')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
})

test('[CORE-14.11] places in the log that the relay makes up keep nobody back once it tells the truth', async ({
  alice,
  bob,
  relay,
}) => {
  const lie = { seq: Number.MAX_SAFE_INTEGER, ts: Number.MAX_SAFE_INTEGER }
  relay.changeAnswer('appendMarked', answer => ({
    ...answer,
    ...(answer.accepted && { accepted: { ...answer.accepted, ...lie } }),
  }))
  const { ts } = await bob.say(alice, 'far ahead')
  expect(ts).toBeLessThanOrEqual(Date.now() + clientLimits.relayTsAheadMsMax)
  relay.repent()
  const said = await alice.say(bob, 'from now')
  expect((await bob.hears('from now')).ts).toBe(said.ts)
})
