// Restarts, restores from a backup, and keys that are lost.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openNodeClient } from '@postern/core/node'
import { type GroupId, type MessageId, SEND_ID_BYTES, sendIdFromBytes } from '@postern/protocol'
import { decodeClientFrame } from '@postern/protocol/relay'
import { type Person, WITHIN, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { distrustKeys, findGroup, needsNewKeys, noteUpdated } from '../src/groups/group-records.ts'
import { deletePending, insertPending } from '../src/groups/pending-commits.ts'

const backupOf = (person: Person) => `${person.directory}.backup`

const test = base
  .extend('backUp', ({ world }) => async (person: Person): Promise<Person> => {
    await world.close(person)
    cpSync(person.directory, backupOf(person), { recursive: true })
    return await world.person(person.name)
  })
  .extend('restore', ({ world }) => async (person: Person): Promise<Person> => {
    await world.close(person)
    rmSync(person.directory, { recursive: true })
    cpSync(backupOf(person), person.directory, { recursive: true })
    return await world.person(person.name)
  })

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
  alice,
  bob,
  backUp,
  restore,
}) => {
  await alice.say(bob, 'before the backup')
  await bob.hears('before the backup')
  bob = await backUp(bob)
  await alice.say(bob, 'since then')
  await bob.hears('since then')
  await bob.say(alice, 'an answer that the backup lacks')
  await alice.hears('an answer that the backup lacks')
  const given = bob.client.journal.newest()

  bob = await restore(bob)
  await expect.poll(() => bob.texts(alice)).toEqual(['before the backup', 'since then'])
  await alice.say(bob, 'are you there?')
  const heard = await bob.next('message', event => event.message.text === 'are you there?')
  expect(heard.id).toBeGreaterThan(given)
  await bob.say(alice, 'with new keys')
  await alice.hears('with new keys')
  expect(alice.texts(bob)).toContain('an answer that the backup lacks')
})

test('[CORE-5.17] a message that both the copy and the original send under one id is told to the others once', async ({
  alice,
  bob,
  backUp,
  restore,
}) => {
  const send = sendIdFromBytes(new Uint8Array(SEND_ID_BYTES).fill(7))
  const under = { ...WITHIN, idempotency: { key: 'k', request: new Uint8Array(32), send } }
  await alice.say(bob, 'before')
  alice = await backUp(alice)
  const first = await alice.client.messages.sendText(bob.chatId, { text: 'once' }, under)
  await bob.hears('once')
  alice = await restore(alice)
  const second = await alice.client.messages.sendText(bob.chatId, { text: 'once' }, under)
  await alice.say(bob, 'last')
  await bob.hears('last')
  expect(second.id).not.toBe(first.id)
  expect(bob.texts(alice)).toEqual(['before', 'once', 'last'])
  expect(alice.texts(bob)).toEqual(['before', 'once', 'last'])
})

test('[CORE-12.5] a client that has only sent since its backup uses no key twice either', async ({
  alice,
  bob,
  backUp,
  restore,
}) => {
  await bob.say(alice, 'before the backup')
  await alice.hears('before the backup')
  bob = await backUp(bob)
  for (const text of ['one', 'two', 'three']) await bob.say(alice, text)
  await alice.hears('three')
  bob = await restore(bob)
  for (const text of ['four', 'five']) await bob.say(alice, text)
  await alice.hears('five')
  expect(alice.texts(bob)).toEqual(['before the backup', 'one', 'two', 'three', 'four', 'five'])
})

test('[CORE-12.5] in a chat that was joined since the backup no key is used twice either: its welcome is read again', async ({
  alice,
  bob,
  backUp,
  restore,
}) => {
  bob = await backUp(bob)
  await alice.say(bob, 'opened after the backup')
  await bob.hears('opened after the backup')
  for (const text of ['one', 'two']) await bob.say(alice, text)
  await alice.hears('two')
  bob = await restore(bob)
  await bob.hears('opened after the backup')
  for (const text of ['three', 'four']) await bob.say(alice, text)
  await alice.hears('four')
  expect(alice.texts(bob)).toEqual(['opened after the backup', 'one', 'two', 'three', 'four'])
  expect(alice.client.journal.read(0, 100).filter(({ json }) => json.includes('undecryptable'))).toEqual([])
})

test('[CORE-12.3] a private chat whose own commit is lost gets its next generation', async ({
  alice,
  bob,
  backUp,
  restore,
}) => {
  bob = await backUp(bob)
  await bob.say(alice, 'opened after the backup')
  await alice.hears('opened after the backup')
  bob = await restore(bob)
  await alice.say(bob, 'to the old group')
  await bob.next('notice', event => event.notice.code === 'undecryptable')
  await bob.say(alice, 'and anew')
  await alice.hears('and anew')
  await alice.say(bob, 'to the new group')
  await bob.hears('to the new group')
})

test('[CORE-12.4] in a group another member adds the restored client anew', async ({
  alice,
  bob,
  carol,
  backUp,
  restore,
}) => {
  const group = await alice.client.chats.createGroup({ name: 'three', members: [bob.id, carol.id] }, WITHIN)
  const chat = group.id
  for (const person of [bob, carol]) await person.next('chat', event => event.chat_id === chat)
  bob = await backUp(bob)
  await bob.client.chats.renameGroup(chat, 'a commit that the backup lacks', WITHIN)
  await alice.next('chat', event => event.chat.name === 'a commit that the backup lacks')
  bob = await restore(bob)
  await bob.next('notice', event => event.notice.code === 'undecryptable')
  const asks = async () => {
    await carol.say(chat, 'bob, do you read this?')
    return bob.texts(chat)
  }
  await expect.poll(asks).toContain('bob, do you read this?')
  await bob.say(chat, 'I do')
  await alice.hears('I do')
  await carol.hears('I do')
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
  backUp,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  bob = await backUp(bob)
  for (let at = 0; at < 60; at++) await alice.say(bob, longText(at))
  await bob.hears(longText(59))
  await bob.say(alice, 'I have read them')
  await alice.hears('I have read them')
  await world.close(bob)
  mixPages(join(backupOf(bob), 'core.db'), readFileSync(join(bob.directory, 'core.db')))
  rmSync(bob.directory, { recursive: true })
  cpSync(backupOf(bob), bob.directory, { recursive: true })
  const said: string[] = []
  const wire = new Wire()
  wire.outgoing = frame => {
    const asked = decodeClientFrame(frame)
    said.push(asked.kind === 'call' ? asked.name : asked.kind)
    return [frame]
  }
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

/** As a slow copy finds them: the first of one time, the others of a later one. */
function mixPages(path: string, later: Buffer): void {
  const earlier = readFileSync(path)
  const from = Math.floor(earlier.length / 4096 / 3) * 4096
  writeFileSync(path, Buffer.concat([earlier.subarray(0, from), later.subarray(from)]))
}
