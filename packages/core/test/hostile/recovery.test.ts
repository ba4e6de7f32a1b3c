// Losses and kills from which a chat must recover, with all members in one group.
import { rmSync } from 'node:fs'
import { type ChatId, CodedError, GROUP_ID_BYTES } from '@postern/protocol'
import { decodeRecoveryFacts, encodeRecoveryFacts } from '@postern/protocol/content'
import { decodeClientFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { commitAs, coreOf, groupOf } from './modified-client.ts'
import { carryOn, codesOf, expectAllHear, groupSettings, ids, membersFor, sayWhenHealed, speakIn } from './team.ts'

const statusOf = (person: TestPerson, id: ChatId) =>
  coreOf(person).store.get<{ status: string }>('SELECT status FROM mls_group WHERE id = ?', groupOf(person, id))?.status

const test = base.extend('passSeconds', ({ clock }) => async (seconds: number): Promise<void> => {
  const endMs = clock.nowMs() + seconds * 1000
  await expect.poll(() => clock.nowMs() >= endMs).toBe(true)
})

describe('[CORE-14.28] who missed a commit', () => {
  test('waits for the others, and does not carry on a group as it was before', async ({
    clock,
    world,
    alice,
    bob,
    carol,
    mallory,
    chat,
    passSeconds,
  }) => {
    const relay = new HostileRelay(carol.wire)
    relay.changeEntries(entries => entries.filter(entry => entry.kind !== 'commit'))
    const dave = await world.person(`dave ${mallory.name}`, { clock })
    await alice.client.chats.addMembers(chat, [dave.id], WITHIN)
    await expect.poll(() => statusOf(carol, chat)).toBe('broken')
    const group = groupOf(carol, chat)
    for (const person of [alice, bob, mallory, dave]) person.wire.cut()
    relay.repent()
    await passSeconds(60)
    expect(groupOf(carol, chat)).toBe(group)
    for (const person of [alice, bob, mallory, dave]) person.wire.mend()
    for (const person of [alice, bob, mallory, dave]) await person.online()
    const all = [alice, bob, carol, dave]
    await expectAllHear(chat, all)
    for (const person of all) {
      expect(membersFor(person, chat)).toEqual(ids([...all, mallory]))
      expect(groupOf(person, chat)).toBe(groupOf(alice, chat))
    }
  })
})

describe('[CORE-14.29] a chat that cannot be healed', () => {
  test('keeps no other one from it', async ({ alice, bob, carol, mallory }) => {
    const others = [alice, carol, mallory]
    for (const other of others) {
      await other.say(bob, 'hello bob')
      await bob.hears('hello bob')
    }
    const [first, ...rest] = others.toSorted((one, two) =>
      groupOf(bob, one.chatId) < groupOf(bob, two.chatId) ? -1 : 1,
    )
    const relay = new HostileRelay(bob.wire)
    relay.answerInstead('takeKeyPackages', ({ accounts }) =>
      first && accounts.includes(first.id) ? { taken: [] } : undefined,
    )
    bob.wire.hold()
    for (const other of others)
      await speakIn(other, groupOf(other, bob.chatId), { body: { kind: 'text', text: 'spoilt' }, spoilt: true })
    bob.wire.release()
    for (const other of rest) {
      await expect.poll(() => statusOf(bob, other.chatId)).toBe('open')
      await sayWhenHealed(bob, other.chatId, 'well again')
      await other.hears('well again')
    }
  })
})

describe('[CORE-14.30] killed while it carries a group on', () => {
  test('a client does so when it is back', async ({ clock, world, alice, bob, carol, mallory, chat }) => {
    const core = coreOf(alice)
    const group = groupOf(alice, chat)
    await expect.poll(() => core.store.get('SELECT 1 FROM receipt_due')).toBeUndefined()
    const killed = Promise.withResolvers<never>()
    killed.promise.catch(() => undefined)
    // Nothing of the new group reaches the relay. If two have one generation, it would be the one in force.
    const run = core.groups.run.bind(core.groups)
    core.groups.run = async (id, work) => (id === group ? await run(id, work) : await killed.promise)
    const { randomBytes } = core.provider
    core.provider.randomBytes = bytes => (bytes === GROUP_ID_BYTES ? new Uint8Array(bytes) : randomBytes(bytes))
    for (const person of [bob, carol]) person.wire.cut()
    await commitAs(mallory, chat, () => ({ remove: [alice.id] }))
    await expect.poll(() => groupOf(alice, chat)).not.toBe(group)
    core.provider.randomBytes = randomBytes
    killed.reject(new CodedError('stopping'))
    await world.close(alice)
    alice = await world.person(alice.name, { clock })
    for (const person of [bob, carol]) person.wire.mend()
    for (const person of [bob, carol]) await person.online()
    await expectAllHear(chat, [alice, bob, carol])
  })
})

test('[CORE-14.44] an answer to a refused group that fails for want of the relay is tried again', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const before = groupOf(alice, chat)
  // Nobody else answers it.
  for (const person of [bob, carol]) person.wire.cut()
  let isLost = false
  alice.wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (isLost || frame.kind !== 'call' || frame.name !== 'takeKeyPackages') return [bytes]
    isLost = true
    queueMicrotask(() => alice.wire.drop())
    return []
  }
  const settings = groupSettings([mallory], { chat, generation: 1 })
  await carryOn(mallory, chat, { settings, members: [alice, bob, carol, mallory] })
  await expect.poll(() => groupOf(alice, chat)).not.toBe(before)
  expect(isLost).toBe(true)
  for (const person of [bob, carol]) person.wire.mend()
  for (const person of [bob, carol]) await person.online()
  await expectAllHear(chat, [alice, bob, carol])
})

describe('[CORE-14.31] keys that are not those of the people shown', () => {
  test('are told of once, however much waits to be sent', async ({ alice, bob, carol, mallory, chat, passSeconds }) => {
    const core = coreOf(bob)
    const group = groupOf(bob, chat)
    for (const person of [alice, carol, mallory]) person.wire.cut()
    await core.store.write(database => {
      database.run('DELETE FROM member WHERE chat_id = ? AND account_id = ?', chat, carol.id)
      database.run('INSERT OR REPLACE INTO receipt_due VALUES (?, ?, ?, ?)', chat, alice.id, 1, 1)
    })
    core.wakeChores()
    await expect.poll(() => statusOf(bob, chat)).toBe('broken')
    const mismatches = () => codesOf(bob, chat).filter(code => code === 'mismatch').length
    await passSeconds(5)
    expect(mismatches()).toBe(1)
    expect(groupOf(bob, chat)).toBe(group)
  })
})

describe('[CORE-14.32] a commit that only some can judge', () => {
  test('leaves the honest in one group, where an admin could not', async ({ alice, bob, carol, mallory, chat }) => {
    const relay = new HostileRelay(alice.wire)
    const spoil = (payload: Uint8Array) => payload.map((byte, at) => (at === payload.length - 1 ? byte ^ 1 : byte))
    relay.changeEntries(entries =>
      entries.map(entry => (entry.kind === 'commit' ? { ...entry, payload: spoil(entry.payload) } : entry)),
    )
    for (const person of [bob, carol]) person.wire.cut()
    await commitAs(mallory, chat, () => ({ remove: [carol.id] }))
    const group = groupOf(alice, chat)
    await expect.poll(() => statusOf(alice, chat)).toBe('broken')
    relay.repent()
    await expect.poll(() => groupOf(alice, chat)).not.toBe(group)
    for (const person of [bob, carol]) person.wire.mend()
    for (const person of [bob, carol]) await person.online()
    for (const person of [bob, carol]) await expect.poll(() => groupOf(person, chat)).toBe(groupOf(alice, chat))
    await expectAllHear(chat, [alice, bob, carol])
  })
})

test('[CORE-12.25] an admin that is made again from old facts brings nobody back whom it has removed', async ({
  clock,
  world,
  alice,
  bob,
  carol,
  mallory,
  chat,
}) => {
  const restore = decodeRecoveryFacts(encodeRecoveryFacts(alice.client.identity.recovery()))
  await alice.client.chats.removeMembers(chat, [mallory.id], WITHIN)
  for (const person of [bob, carol]) await person.next('notice', ({ notice }) => notice.code === 'removed')
  await world.close(alice)
  rmSync(alice.directory, { recursive: true })
  const again = await world.person(alice.name, { clock, restore })
  // The others are no admins: she need not believe them that mallory was removed, and carries the chat on in the end.
  await again.next('notice', ({ notice }) => notice.code === 'refused')
  clock.leap(25 * 3_600_000)
  await expectAllHear(chat, [again, bob, carol])
  for (const person of [again, bob, carol]) expect(membersFor(person, chat)).toEqual(ids([again, bob, carol]))
  expect(mallory.client.chats.get(chat).state).toBe('left')
})
