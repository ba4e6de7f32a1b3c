// When receipts are sent: soon after a message, once a second while more arrive, and immediately for read messages.
import { clientLimits } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { hasGreeted } from './marked-entries.ts'

const { receiptsAfterMs, arrivedToldEveryMs } = clientLimits

/** Counts messages that are sealed for one member alone. */
class Receipts extends Wire {
  sent = 0

  override outgoing = (frame: Uint8Array): Uint8Array[] => {
    const decoded = decodeClientFrame(frame)
    if (decoded.kind === 'call' && decoded.name === 'appendMarked' && decoded.request.to !== undefined) this.sent++
    return [frame]
  }
}

const test = base
  .extend('receipts', () => new Receipts())
  /** His clock is stopped. */
  .extend('bob', ({ world, clock, receipts }) => world.person('bob', { clock, wire: receipts }))

test.beforeEach(async ({ alice, bob, clock, receipts }) => {
  await alice.say(bob, 'first')
  await bob.hears('first')
  // Her name, if it comes later, wakes his chores.
  await expect.poll(() => hasGreeted(alice) && bob.client.identity.profileOf(alice.id).name === 'alice').toBe(true)
  // A client that has answered and got its receipt sends nothing more on its own: that would carry receipts.
  await bob.say(alice, 'back')
  await alice.hears('back')
  await expect.poll(() => clock.isAwaited(receiptsAfterMs)).toBe(true)
  clock.advance(receiptsAfterMs)
  await expect.poll(() => receipts.sent).toBeGreaterThan(0)
  await bob.client['core'].store.caughtUp()
  clock.advance(arrivedToldEveryMs)
  receipts.sent = 0
})

test('[CORE-5.18] the first that arrives is receipted soon, those behind it once a second, with one receipt', async ({
  alice,
  bob,
  clock,
  receipts,
}) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  await expect.poll(() => clock.isAwaited(receiptsAfterMs)).toBe(true)
  clock.advance(receiptsAfterMs)
  await expect.poll(() => receipts.sent).toBe(1)
  for (const text of ['two', 'three', 'four']) await alice.say(bob, text)
  await bob.hears('four')
  // The timer is set when the turn is over in which the message was written.
  await expect
    .poll(() => [clock.isAwaited(receiptsAfterMs), clock.isAwaited(arrivedToldEveryMs)])
    .toEqual([false, true])
  clock.advance(arrivedToldEveryMs - 1)
  const last = await alice.say(bob, 'five')
  await bob.hears('five')
  expect(receipts.sent).toBe(1)
  clock.advance(1)
  await expect.poll(() => receipts.sent).toBe(2)
  await expect.poll(() => alice.client.messages.get(bob.chatId, last.id).status).toBe('delivered')
  // After a pause the next one is the first again.
  clock.advance(arrivedToldEveryMs)
  await alice.say(bob, 'six')
  await bob.hears('six')
  await expect.poll(() => clock.isAwaited(receiptsAfterMs)).toBe(true)
})

test('[CORE-5.18] that it was read is told soon, however much arrives', async ({ alice, bob, clock, receipts }) => {
  await alice.say(bob, 'one')
  await bob.hears('one')
  await expect.poll(() => clock.isAwaited(receiptsAfterMs)).toBe(true)
  clock.advance(receiptsAfterMs)
  await expect.poll(() => receipts.sent).toBe(1)
  const said = await alice.say(bob, 'two')
  await bob.hears('two')
  await expect
    .poll(() => [clock.isAwaited(receiptsAfterMs), clock.isAwaited(arrivedToldEveryMs)])
    .toEqual([false, true])
  await bob.client.messages.markRead(alice.chatId)
  await expect.poll(() => clock.isAwaited(receiptsAfterMs)).toBe(true)
  clock.advance(receiptsAfterMs)
  await expect.poll(() => alice.client.messages.get(bob.chatId, said.id).status).toBe('read')
})
