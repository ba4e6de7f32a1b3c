// A member whose client edits without a limit:
// the others judge by the age of the message, as its own client should have.
import { passTime, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { newDraft } from '../../src/outbox/compose.ts'
import { sendContent } from '../../src/outbox/send-content.ts'
import { coreOf, deadlineOf } from './modified-client.ts'

const HOUR_MS = 3_600_000

const test = base
  .extend('worldOptions', ({ clock }) => ({ relayClock: clock }))
  .extend('bob', ({ world, clock }) => world.person('bob', { clock }))
  .extend('mallory', ({ world, clock }) => world.person('mallory', { clock }))

test('[CORE-14.18] an edit that comes after 48 hours changes nothing for the others', async ({
  bob,
  mallory,
  clock,
}) => {
  const { id } = await mallory.say(bob, 'as it was')
  await bob.hears('as it was')
  const edit = async (text: string) => {
    const draft = newDraft(coreOf(mallory), { kind: 'edit', target: id, text })
    await sendContent(coreOf(mallory), bob.chatId, { draft, deadline: deadlineOf(mallory) })
  }
  clock.leap(47 * HOUR_MS)
  await passTime(clock, Promise.all([bob.online(), mallory.online()]))
  await passTime(clock, edit('in time'))
  await expect.poll(() => bob.texts(mallory)).toEqual(['in time'])
  clock.leap(2 * HOUR_MS)
  await passTime(clock, Promise.all([bob.online(), mallory.online()]))
  await passTime(clock, edit('too late'))
  await passTime(clock, mallory.client.messages.sendText(bob.chatId, { text: 'a mark' }, WITHIN))
  await bob.hears('a mark')
  expect(bob.texts(mallory)).toEqual(['in time', 'a mark'])
})
