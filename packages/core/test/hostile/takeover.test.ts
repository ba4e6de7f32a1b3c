// Possible gains of a member with a modified client that the others believe: after a loss, and by carrying the chat on.
import { decodeClientFrame, encodeClientFrame } from '@postern/protocol/relay'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './fixtures.ts'
import { commitAs, forgeWelcome, groupOf, keyPackagesOf } from './modified-client.ts'
import {
  adminsFor,
  breakGroup,
  carryOn,
  epochOf,
  expectAllHear,
  groupSettings,
  ids,
  membersFor,
  sayWhenHealed,
  speakIn,
} from './team.ts'

describe('[CORE-14.20] who makes the others lose their keys', () => {
  test('gains nothing by the welcome that it has ready: no rights, and nobody is out', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    const group = groupOf(mallory, chat)
    const { welcome } = await forgeWelcome(mallory, {
      group,
      settings: groupSettings([mallory]),
      victim: alice.id,
      others: [bob.id],
      epochs: await epochOf(mallory, chat),
    })
    await breakGroup(mallory, chat, { remove: [alice, bob, carol], add: [alice, bob], welcome })
    for (const person of [alice, bob, carol])
      await person.next('notice', event => event.notice.code === 'undecryptable')
    await expectAllHear(chat, [alice, bob, carol])
    for (const person of [alice, bob, carol]) {
      expect(adminsFor(person, chat)).toEqual([alice.id])
      expect(membersFor(person, chat)).toEqual(expect.arrayContaining(ids([alice, bob, carol])))
    }
  })

  test('gains nothing by carrying the chat on itself', async ({ clock, world, alice, bob, carol, mallory, chat }) => {
    const trent = await world.person('trent', { clock })
    await breakGroup(mallory, chat)
    for (const person of [alice, bob, carol])
      await person.next('notice', event => event.notice.code === 'undecryptable')
    const settings = groupSettings([mallory], { generation: 1, chat })
    await carryOn(mallory, chat, { settings, members: [alice, bob, trent, mallory] })
    await expectAllHear(chat, [alice, bob, carol])
    for (const person of [alice, bob, carol]) {
      expect(adminsFor(person, chat)).toEqual([alice.id])
      expect(membersFor(person, chat)).toEqual(expect.arrayContaining(ids([alice, bob, carol])))
    }
  })

  test('raises no number of the group for the one whom it alone adds again', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    for (const person of [bob, carol]) person.wire.hold()
    // Alice asks nobody to add her again before mallory does it.
    alice.wire.outgoing = () => []
    await commitAs(mallory, chat, () => ({ atRelay: { remove: [alice.id] } }))
    await alice.next('notice', event => event.notice.code === 'cut_off')
    // The others refuse this commit, of which alice learns nothing.
    await commitAs(mallory, chat, () => ({ settings: groupSettings([alice], { chat, generation: 7 }) }))
    const add = await keyPackagesOf(mallory, [alice.id])
    await commitAs(mallory, chat, () => ({ add, remove: [alice.id], atRelay: { remove: [] } }))
    alice.wire.outgoing = frame => [frame]
    await alice.next('notice', event => event.notice.code === 'refused')
    for (const person of [bob, carol]) person.wire.release()
    await expectAllHear(chat, [alice, bob, carol])
    for (const person of [alice, bob, carol]) expect(adminsFor(person, chat)).toEqual([alice.id])
  })
})

describe('[CORE-14.21] a chat that a member carried on without need', () => {
  test('can be carried on again, whatever number it gave it', async ({ alice, bob, carol, mallory, chat }) => {
    const settings = groupSettings([alice], { generation: 2 ** 40, chat })
    await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
    await mallory.say(chat, 'in the last of all groups').catch(() => undefined)
    await breakGroup(mallory, chat)
    await expectAllHear(chat, [alice, bob, carol])
  })

  test('has nobody in it to whom the relay delivers nothing', async ({ alice, bob, carol, mallory, chat }) => {
    mallory.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind !== 'call' || frame.name !== 'commit' || frame.request.add.length !== 3) return [bytes]
      const add = frame.request.add.filter(account => account !== carol.id)
      return [encodeClientFrame({ ...frame, request: { ...frame.request, add } })]
    }
    const settings = groupSettings([alice], { generation: 1, chat })
    await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
    for (const person of [alice, bob]) await person.next('notice', event => event.notice.code === 'restarted')
    await expectAllHear(chat, [alice, bob, carol])
  })

  test('lets nobody speak who was removed from it', async ({ alice, bob, carol, mallory, chat }) => {
    const old = groupOf(mallory, chat)
    const settings = groupSettings([alice], { generation: 1, chat })
    await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
    for (const person of [alice, bob]) await person.next('notice', event => event.notice.code === 'restarted')
    await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
    await bob.next('notice', event => event.notice.code === 'removed')
    await speakIn(mallory, old, { body: { kind: 'text', text: 'still here' } })
    await sayWhenHealed(alice, chat, 'a mark')
    await bob.hears('a mark')
    expect(bob.texts(chat)).not.toContain('still here')
    expect(alice.texts(chat)).not.toContain('still here')
  })
})
