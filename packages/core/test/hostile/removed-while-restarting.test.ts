// Members are removed and added while a client is about to carry the group on: who was removed stays out, and who was added is in.
import { decodeClientFrame } from '@postern/protocol/relay'
import { WITHIN } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './fixtures.ts'
import { groupOf } from './modified-client.ts'
import { carryOn, expectAllHear, groupSettings, ids, membersFor } from './team.ts'

test('[CORE-14.34] a removal that crosses the own restart of the group is not undone', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const before = groupOf(alice, chat)
  const asked = Promise.withResolvers<void>()
  const held: Uint8Array[] = []
  // The relay is slow to hand out key packages, until the removal is done.
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'takeKeyPackages') return [bytes]
    held.push(bytes.slice())
    asked.resolve()
    return []
  }
  // Refused by all, and answered by alice, with a group into which everybody may follow.
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
  await asked.promise
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  expect(membersFor(alice, chat)).toEqual(ids([alice, bob, carol]))
  alice.wire.outgoing = frame => [frame]
  for (const bytes of held) alice.wire.say(bytes)
  await expect.poll(() => groupOf(alice, chat)).not.toBe(before)
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol]))
})

test('[CORE-14.42] somebody who is added while another member carries the group on is in the next group, too', async ({
  world,
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const dave = await world.person('dave, who is added late', { clock })
  const before = groupOf(alice, chat)
  const opened = Promise.withResolvers<void>()
  const held: Uint8Array[] = []
  // The relay is slow to open the next group, until somebody is added to the one before.
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind !== 'call' || frame.name !== 'createGroup') return [bytes]
    held.push(bytes.slice())
    opened.resolve()
    return []
  }
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
  await opened.promise
  await carol.client.chats.addMembers(chat, [dave.id], WITHIN)
  await dave.next('chat', event => event.chat_id === chat)
  alice.wire.outgoing = frame => [frame]
  for (const bytes of held) alice.wire.say(bytes)
  await expect.poll(() => groupOf(carol, chat)).not.toBe(before)
  const all = [alice, bob, carol, mallory, dave]
  for (const person of all) await expect.poll(() => membersFor(person, chat)).toEqual(ids(all))
  await expectAllHear(chat, [alice, bob, carol, dave])
})
