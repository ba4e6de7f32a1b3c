// Restarts, restores from a backup, and lost keys.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeClient } from '@postern/core/node'
import { type ChatId, type GroupId, type MessageId, SEND_ID_BYTES, sendIdFromBytes } from '@postern/protocol'
import { decodeRelayFrame } from '@postern/protocol/relay'
import { backupOf, type TestPerson, WITHIN, Wire } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { findChat } from '../src/chats/records/chats.ts'
import { endedOf } from '../src/chats/records/known-chat.ts'
import { distrustKeys, findGroup, needsNewKeys, noteUpdated } from '../src/groups/group-records.ts'
import { deletePending, insertPending } from '../src/groups/pending-commits.ts'
import { successorOf } from '../src/judge/successor.ts'
import { sayWhenHealed } from './hostile/team.ts'
import { callsOn } from './lossy-wire.ts'

const WITHIN_POLL = { timeout: WITHIN.timeoutMs }

test('[CORE-11.3] chats go on after a restart of everybody', async ({ world, alice, bob }) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  await world.close(alice)
  await world.close(bob)
  await world.stopRelay()
  await world.startRelay()
  const [again, other] = [await world.person('alice'), await world.person('bob')]
  await other.say(again, 'after')
  await again.hears('after')
  expect(again.texts(other)).toEqual(['before', 'after'])
})

test('[CORE-12.1, CORE-12.2, CORE-12.5] a restored client reads what came since, and goes on with new keys and new ids', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before the backup')
  await bob.hears('before the backup')
  bob = await world.backUp(bob)
  await alice.say(bob, 'since then')
  await bob.hears('since then')
  await bob.say(alice, 'an answer that the backup lacks')
  await alice.hears('an answer that the backup lacks')
  const given = bob.client.journal.newest()

  bob = await world.restore(bob)
  await expect.poll(() => bob.texts(alice)).toEqual(['before the backup', 'since then'])
  await alice.say(bob, 'are you there?')
  const heard = await bob.next('message', event => event.message.text === 'are you there?')
  expect(heard.id).toBeGreaterThan(given)
  await bob.say(alice, 'with new keys')
  await alice.hears('with new keys')
  expect(alice.texts(bob)).toContain('an answer that the backup lacks')
})

test('[CORE-5.17] a message that both the copy and the original send under one id is told to the others once', async ({
  world,
  alice,
  bob,
}) => {
  const send = sendIdFromBytes(new Uint8Array(SEND_ID_BYTES).fill(7))
  const under = { ...WITHIN, idempotency: { key: 'k', request: new Uint8Array(32), send } }
  await alice.say(bob, 'before')
  alice = await world.backUp(alice)
  const first = await alice.client.messages.sendText(bob.chatId, { text: 'once' }, under)
  await bob.hears('once')
  alice = await world.restore(alice)
  const second = await alice.client.messages.sendText(bob.chatId, { text: 'once' }, under)
  await alice.say(bob, 'last')
  await bob.hears('last')
  expect(second.id).not.toBe(first.id)
  expect(bob.texts(alice)).toEqual(['before', 'once', 'last'])
  expect(alice.texts(bob)).toEqual(['before', 'once', 'last'])
})

test('[CORE-12.5] a client that has only sent since its backup uses no key twice either', async ({
  world,
  alice,
  bob,
}) => {
  await bob.say(alice, 'before the backup')
  await alice.hears('before the backup')
  bob = await world.backUp(bob)
  for (const text of ['one', 'two', 'three']) await bob.say(alice, text)
  await alice.hears('three')
  bob = await world.restore(bob)
  for (const text of ['four', 'five']) await bob.say(alice, text)
  await alice.hears('five')
  expect(alice.texts(bob)).toEqual(['before the backup', 'one', 'two', 'three', 'four', 'five'])
})

test('[CORE-12.5] in a chat that was joined since the backup no key is used twice either: its welcome is read again', async ({
  world,
  alice,
  bob,
}) => {
  bob = await world.backUp(bob)
  await alice.say(bob, 'opened after the backup')
  await bob.hears('opened after the backup')
  for (const text of ['one', 'two']) await bob.say(alice, text)
  await alice.hears('two')
  bob = await world.restore(bob)
  await bob.hears('opened after the backup')
  for (const text of ['three', 'four']) await bob.say(alice, text)
  await alice.hears('four')
  expect(alice.texts(bob)).toEqual(['opened after the backup', 'one', 'two', 'three', 'four'])
  expect(alice.client.journal.read(0, 100).filter(({ json }) => json.includes('undecryptable'))).toEqual([])
})

test('[CORE-12.3] a private chat whose own commit is lost gets its next generation', async ({ world, alice, bob }) => {
  bob = await world.backUp(bob)
  await bob.say(alice, 'opened after the backup')
  await alice.hears('opened after the backup')
  bob = await world.restore(bob)
  await alice.say(bob, 'to the old group')
  await bob.next('notice', event => event.notice.code === 'undecryptable')
  await bob.say(alice, 'and anew')
  await alice.hears('and anew')
  await alice.say(bob, 'to the new group')
  await bob.hears('to the new group')
})

test('[CORE-12.4] in a group another member adds the restored client anew', async ({ world, alice, bob, carol }) => {
  const chat = await alice.createGroup('three', [bob, carol])
  bob = await world.backUp(bob)
  await bob.client.chats.renameGroup(chat, 'a commit that the backup lacks', WITHIN)
  await alice.next('chat', event => event.chat.name === 'a commit that the backup lacks')
  bob = await world.restore(bob)
  await bob.next('notice', event => event.notice.code === 'undecryptable')
  const asks = async () => {
    await carol.say(chat, 'bob, do you read this?')
    return bob.texts(chat)
  }
  await expect.poll(asks).toContain('bob, do you read this?')
  // The other member may add it once more.
  await sayWhenHealed(bob, chat, 'I do')
  await alice.hears('I do')
  await carol.hears('I do')
})

const membersFor = (person: TestPerson, chat: ChatId) =>
  person.client.chats
    .get(chat)
    .members.map(({ id }) => id)
    .toSorted()

test('[CORE-12.23] an admin that is restored from before a removal does not bring the removed person back', async ({
  world,
  alice,
  bob,
  carol,
}) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
  for (const person of [bob, carol]) await person.next('chat', event => event.chat_id === chat)
  alice = await world.backUp(alice)
  await alice.client.chats.removeMembers(chat, [carol.id], WITHIN)
  await alice.say(chat, 'without carol')
  await bob.hears('without carol')
  alice = await world.restore(alice)
  const asks = async () => {
    await bob.say(chat, 'alice, do you read this?')
    return alice.texts(chat)
  }
  await expect.poll(asks, WITHIN_POLL).toContain('alice, do you read this?')
  await alice.say(chat, 'I do')
  await bob.hears('I do')
  for (const person of [alice, bob]) expect(membersFor(person, chat)).toEqual([alice.id, bob.id].toSorted())
  expect(carol.client.chats.get(chat).state).toBe('left')
  expect(carol.texts(chat)).toEqual([])
}, 120_000)

test('[CORE-12.23] in a group of two the restored admin has nobody left to carry the group on with', async ({
  world,
  alice,
  bob,
}) => {
  const { id: chat } = await alice.client.chats.createGroup({ name: 'two', members: [bob.id] }, WITHIN)
  await bob.next('chat', event => event.chat_id === chat)
  alice = await world.backUp(alice)
  await alice.client.chats.removeMembers(chat, [bob.id], WITHIN)
  await alice.say(chat, 'alone')
  alice = await world.restore(alice)
  await expect.poll(() => membersFor(alice, chat), WITHIN_POLL).toEqual([alice.id])
  const row = findChat(alice.client['core'].store, chat)
  const ended = row && endedOf(alice.client['core'].store, row)
  expect(ended && successorOf(ended).members).toEqual([alice.id])
}, 120_000)

test('[CORE-12.20] a member asks to be added again when the relay was restored and has lost the first request', async ({
  world,
  alice,
  bob,
  carol,
}) => {
  const chat = await alice.createGroup('three', [bob, carol])
  bob = await world.backUp(bob)
  await bob.client.chats.renameGroup(chat, 'a commit that the backup lacks', WITHIN)
  for (const person of [alice, carol])
    await person.next('chat', event => event.chat.name === 'a commit that the backup lacks')
  await world.backUpRelay()
  await bob.client.whenOnline(WITHIN)
  for (const person of [alice, carol]) await world.close(person)
  bob = await world.restore(bob)
  const asked = () => bob.client['core'].store.get('SELECT 1 FROM rejoin_asked') !== undefined
  await expect.poll(asked).toBe(true)
  await world.restoreRelay()
  alice = await world.person('alice')
  carol = await world.person('carol')
  await bob.client.whenOnline(WITHIN)

  const isSaid = async () =>
    await bob.say(chat, 'I am back').then(
      () => true,
      () => false,
    )
  await expect.poll(isSaid, { interval: 100 }).toBe(true)
  for (const person of [alice, carol]) await person.hears('I am back')
}, 120_000)

test('[CORE-12.19] a client and the relay are restored together: no key is used twice, and no event id is given out again', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  alice = await world.backUp(alice)
  await world.backUpRelay()
  await alice.client.whenOnline(WITHIN)
  await bob.client.whenOnline(WITHIN)
  await alice.say(bob, 'since then')
  await bob.hears('since then')
  await bob.say(alice, 'an answer')
  await alice.hears('an answer')
  const given = alice.client.journal.newest()
  await world.putBack(alice)
  await world.restoreRelay()

  const wire = new Wire()
  const calls = callsOn(wire, ['commit', 'appendMarked'])
  alice = await world.person('alice', { wire })
  await bob.client.whenOnline(WITHIN)
  await alice.say(bob, 'after')
  expect(calls[0]).toBe('commit')
  await bob.hears('after')
  await bob.say(alice, 'I hear you')
  const heard = await alice.next('message', event => event.message.text === 'I hear you')
  expect(heard.id).toBeGreaterThan(given)
})

test('[CORE-12.18] one backup is restored twice: nothing is committed before the log was read to its end', async ({
  world,
  alice,
  bob,
}) => {
  await bob.say(alice, 'before the backup')
  await alice.hears('before the backup')
  bob = await world.backUp(bob)
  await bob.say(alice, 'since then')
  await alice.hears('since then')
  bob = await world.restore(bob)
  await bob.say(alice, 'after the first restore')
  await alice.hears('after the first restore')
  await world.putBack(bob)

  const wire = new Wire()
  const calls = callsOn(wire)
  wire.incoming = frame => (decodeRelayFrame(frame).kind === 'deliver' ? [] : [frame])
  bob = await world.person('bob', { wire })
  const early = bob.say(alice, 'too early').catch(() => undefined)
  await expect.poll(() => calls).toContain('mailboxEnd')
  expect(calls).not.toContain('commit')
  expect(calls).not.toContain('appendMarked')
  wire.incoming = frame => [frame]
  wire.drop()
  await early
  await expect
    .poll(
      () =>
        bob.say(alice, 'after the second restore').then(
          () => true,
          () => false,
        ),
      WITHIN_POLL,
    )
    .toBe(true)
  await alice.hears('after the second restore')
  const heard = ['before the backup', 'since then', 'after the first restore', 'after the second restore']
  expect(alice.texts(bob).filter(text => text !== 'too early')).toEqual(heard)
})

test('[CORE-12.5] a commit that waited in the backup brings no new keys: the copy may have spoken with them', async ({
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  const { store } = bob.client['core']
  const groups = store.all<{ id: GroupId }>('SELECT id FROM mls_group')
  const [group] = groups as [{ id: GroupId }]
  const waiting = { message: 'm' as MessageId, wire: new Uint8Array(1), add: [], remove: [], welcome: undefined }
  const isDistrusted = () => needsNewKeys(findGroup(store, group.id) ?? { needs_update: 0, withdrawn: 0 })
  await store.write(database => {
    insertPending(database, group.id, { ...waiting, nextState: new Uint8Array(1) })
    distrustKeys(database)
    noteUpdated(database, group.id, 0)
    deletePending(database, group.id)
  })
  expect(isDistrusted()).toBe(true)
  await store.write(database => noteUpdated(database, group.id, 0))
  expect(isDistrusted()).toBe(false)
})

test('[CORE-12.14] a copy that was made while its client wrote, of two times at once, stays out and says nothing', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  bob = await world.backUp(bob)
  for (let at = 0; at < 60; at++) await alice.say(bob, longText(at))
  await bob.hears(longText(59))
  await bob.say(alice, 'I have read them')
  await alice.hears('I have read them')
  await world.close(bob)
  mixPages(join(backupOf(bob), 'core.db'), readFileSync(join(bob.directory, 'core.db')))
  await world.putBack(bob)
  const wire = new Wire()
  const said = callsOn(wire)
  const client = await openNodeClient({
    directory: bob.directory,
    acceptRequests: 'all',
    connect: wire.connect,
    firstStart: () => {
      throw new Error('there is an account')
    },
  })
  client.start()
  await expect.poll(() => client.refusal?.code).toBe('database-damaged')
  expect(client.isOnline).toBe(false)
  await client.stop()
  expect([...new Set(said)]).toEqual(['authenticate'])
})

const longText = (at: number) => `text ${at} ${'x'.repeat(1000)}`

/** As a slow copy finds them: the first pages of one time, the others of a later one. */
function mixPages(path: string, later: Buffer): void {
  const earlier = readFileSync(path)
  const from = Math.floor(earlier.length / 4096 / 3) * 4096
  writeFileSync(path, Buffer.concat([earlier.subarray(0, from), later.subarray(from)]))
}
