// Honest members that one message, a farewell or a list could make exclude each other, or work without end.
import { silentLog } from '@postern/protocol'
import { HostileRelay, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './fixtures.ts'
import { commitAs, groupOf } from './modified-client.ts'
import { codesOf, epochOf, expectAllHear, groupSettings, ids, membersFor, sayBody, speakIn } from './team.ts'

describe('[CORE-14.22] a farewell', () => {
  test('that a newcomer did not hear puts nobody out who acts on it', async ({
    clock,
    world,
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    await mallory.client.chats.leaveGroup(chat, WITHIN)
    for (const person of [alice, bob, carol]) await person.next('notice', event => event.notice.code === 'left')
    const dave = await world.person(`dave ${mallory.name}`, { clock })
    await bob.client.chats.addMembers(chat, [dave.id], WITHIN)
    await dave.next('chat', event => event.chat_id === chat)
    await expectAllHear(chat, [alice, bob, carol, dave])
    expect(codesOf(dave, chat)).not.toContain('refused')
    expect(membersFor(dave, chat)).toEqual(ids([alice, bob, carol, dave]))
  })

  test('that the relay holds back from one puts nobody out who acts on it', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    const relay = new HostileRelay(carol.wire)
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'leave'))
    await mallory.client.chats.leaveGroup(chat, WITHIN)
    for (const person of [alice, bob]) await person.next('notice', event => event.notice.code === 'left')
    await bob.say(chat, 'farewell, mallory')
    await expectAllHear(chat, [alice, bob, carol])
    expect(codesOf(carol, chat)).not.toContain('refused')
    expect(membersFor(carol, chat)).toEqual(ids([alice, bob, carol]))
  })

  test('in a private chat is none', async ({ bob, mallory }) => {
    await mallory.say(bob, 'hello bob')
    await bob.hears('hello bob')
    await speakIn(mallory, groupOf(mallory, bob.chatId), { body: { kind: 'leave' } })
    await mallory.say(bob, 'still here')
    await bob.hears('still here')
    const group = groupOf(bob, mallory.chatId)
    await bob.say(mallory, 'good')
    await mallory.hears('good')
    expect(groupOf(bob, mallory.chatId)).toBe(group)
  })
})

describe('[CORE-14.23] a word about the history', () => {
  test('that one member makes up ends no group', async ({ alice, bob, carol, mallory, chat }) => {
    const group = groupOf(mallory, chat)
    const body = { kind: 'compare' as const, group, epoch: await epochOf(mallory, chat), mark: 'A'.repeat(22) }
    await sayBody(mallory, chat, body)
    await mallory.say(chat, 'a mark')
    for (const person of [alice, bob, carol]) await person.hears('a mark')
    for (const person of [alice, bob, carol]) {
      expect(groupOf(person, chat)).toBe(group)
      expect(await epochOf(person, chat)).toBe(await epochOf(mallory, chat))
      expect(codesOf(person, chat)).not.toContain('forked')
    }
    await expectAllHear(chat, [alice, bob, carol])
    expect(groupOf(alice, chat)).toBe(group)
  })

  test('that it says again and again to one ends the group for that one no more than once', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    const group = groupOf(mallory, chat)
    await mallory.say(bob, 'hello bob')
    await bob.hears('hello bob')
    for (const round of [1, 2, 3]) {
      const epoch = await epochOf(bob, chat)
      const body = { kind: 'compare' as const, group, epoch, mark: 'A'.repeat(22) }
      await sayBody(mallory, bob.chatId, body)
      await mallory.say(bob, `mark ${round}`)
      await bob.hears(`mark ${round}`)
      await expectAllHear(chat, [alice, bob, carol])
    }
    expect(codesOf(bob, chat).filter(code => code === 'forked')).toHaveLength(1)
  })

  test('or a wish to be added anew, said in the group, makes no member of it act', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    const epoch = await epochOf(bob, chat)
    await sayBody(mallory, chat, { kind: 'rejoin', group: groupOf(mallory, chat) })
    await mallory.say(chat, 'a mark')
    for (const person of [alice, bob, carol]) await person.hears('a mark')
    await expectAllHear(chat, [alice, bob, carol])
    expect(await epochOf(bob, chat)).toBe(epoch)
  })
})

test('[CORE-14.37] a wish of somebody who is no member changes nothing, and the log says why', async ({
  world,
  clock,
  alice,
  mallory,
  chat,
}) => {
  const lines: object[] = []
  const log = { ...silentLog, debug: (fields: object, text: string) => void lines.push({ ...fields, text }) }
  const dave = await world.person(`dave ${mallory.name}`, { clock, log })
  await alice.client.chats.addMembers(chat, [dave.id], WITHIN)
  await dave.next('chat', event => event.chat_id === chat)
  const eve = await world.person(`eve ${mallory.name}`, { clock })
  await eve.say(dave, 'hello dave')
  await dave.hears('hello dave')
  const group = groupOf(alice, chat)
  await sayBody(eve, dave.chatId, { kind: 'rejoin', group })
  await eve.say(dave, 'let me in')
  await dave.hears('let me in')
  expect(lines).toContainEqual(
    expect.objectContaining({ kind: 'rejoin', chat: eve.id, reason: 'no such member', text: 'ignored' }),
  )
})

describe('[CORE-14.24] the lists of a relay', () => {
  test('that lies about a private chat make nobody break its rules', async ({ alice, bob }) => {
    await alice.say(bob, 'hello bob')
    await bob.hears('hello bob')
    await bob.say(alice, 'hello alice')
    await alice.hears('hello alice')
    const relay = new HostileRelay(alice.wire)
    relay.changeEntries(entries =>
      entries.map(entry => (entry.kind === 'commit' ? { ...entry, removed: [bob.id] } : entry)),
    )
    relay.answerInstead('getGroup', () => ({ epoch: 2, members: [alice.id] }))
    await bob.client.chats.setTimer(alice.chatId, 60_000, WITHIN)
    await alice.next('notice', event => event.notice.code === 'timer')
    const said = () =>
      alice.say(bob, 'as before').then(
        () => 'said',
        () => 'not yet',
      )
    await expect.poll(said).toBe('said')
    await bob.hears('as before')
    expect(codesOf(bob, alice.chatId)).not.toContain('refused')
  })
})

describe('[CORE-14.25] admins', () => {
  test('who are named twice make nobody else an offender', async ({ alice, bob, carol, chat }) => {
    const settings = { ...groupSettings([alice]), admins: [alice.id, alice.id] } as ReturnType<typeof groupSettings>
    await commitAs(alice, chat, () => ({ settings })).catch(() => undefined)
    await commitAs(bob, chat, () => ({})).catch(() => undefined)
    await carol.say(chat, 'a mark').catch(() => undefined)
    for (const person of [alice, carol])
      expect(codesOf(person, chat).includes('refused') ? 'bob is blamed' : 'nobody is').toBe('nobody is')
  })
})
