// An admin that is restored from before its own change: a relay that lies about the change, and a change that nobody can prove.
import type { AccountId } from '@postern/protocol'
import { HostileRelay, type TestPerson, Wire } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { coreOf } from './modified-client.ts'
import { adminsFor, codesOf, expectAllHear, ids, membersFor } from './team.ts'

const DAY_MS = 24 * 3_600_000
const HOUR_MS = 3_600_000
/** By a clock that hurries. */
const PATIENTLY = { timeoutMs: HOUR_MS }

const test = base
  .extend(
    'backUp',
    ({ world, clock }) =>
      (person: TestPerson) =>
        world.backUp(person, { clock }),
  )
  /** The relay names these accounts as removed by each commit of the person, whatever the commit did. */
  .extend(
    'restoreAmongLies',
    ({ world, clock }) =>
      async (person: TestPerson, removed: AccountId[]): Promise<TestPerson> => {
        const wire = new Wire()
        const relay = new HostileRelay(wire)
        relay.changeEntries(entries =>
          entries.map(entry => (entry.kind === 'commit' && entry.sender === person.id ? { ...entry, removed } : entry)),
        )
        return await world.restore(person, { clock, wire })
      },
  )

test('[CORE-12.29] a relay that names a member as removed removes nobody: the others add the admin to the group as it is', async ({
  alice,
  bob,
  carol,
  mallory,
  chat,
  backUp,
  restoreAmongLies,
}) => {
  alice = await backUp(alice)
  await alice.client.chats.renameGroup(chat, 'renamed', PATIENTLY)
  for (const person of [bob, carol, mallory]) await person.next('chat', ({ chat: { name } }) => name === 'renamed')
  alice = await restoreAmongLies(alice, [carol.id])
  await expectAllHear(chat, [alice, bob, carol, mallory])
  for (const person of [alice, bob, carol]) expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol, mallory]))
  // She has believed the relay until then.
  expect(coreOf(alice).store.all(`SELECT 1 FROM notice WHERE json LIKE '%"removed"%'`)).toHaveLength(1)
})

test('[CORE-12.29] where the relay names everybody else as removed, the admin is alone after a day, and can add them again', async ({
  clock,
  alice,
  bob,
  backUp,
  restoreAmongLies,
}) => {
  const chat = await alice.createGroup('two', [bob])
  alice = await backUp(alice)
  await alice.client.chats.renameGroup(chat, 'renamed', PATIENTLY)
  await bob.next('chat', ({ chat: { name } }) => name === 'renamed')
  alice = await restoreAmongLies(alice, [bob.id])
  await expect.poll(() => membersFor(alice, chat)).toEqual([alice.id])
  clock.leap(DAY_MS + HOUR_MS)
  const added = () =>
    alice.client.chats.addMembers(chat, [bob.id], PATIENTLY).then(
      () => 'added',
      (error: unknown) => String(error),
    )
  await expect.poll(added).toBe('added')
  await expectAllHear(chat, [alice, bob])
})

test('[CORE-12.29] a relay that hides a removal brings the removed person back after a day, and everybody is notified', async ({
  clock,
  alice,
  bob,
  carol,
  mallory,
  chat,
  backUp,
  restoreAmongLies,
}) => {
  alice = await backUp(alice)
  await alice.client.chats.removeMembers(chat, [mallory.id], PATIENTLY)
  for (const person of [bob, carol]) await person.next('notice', ({ notice }) => notice.code === 'removed')
  alice = await restoreAmongLies(alice, [])
  await alice.next('notice', ({ notice }) => notice.code === 'refused')
  expect(membersFor(bob, chat)).toEqual(ids([alice, bob, carol]))
  clock.leap(DAY_MS + HOUR_MS)
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [bob, carol]) {
    expect(membersFor(person, chat)).toEqual(ids([alice, bob, carol, mallory]))
    expect(codesOf(person, chat)).toContain('joined')
  }
})

test('[CORE-12.30] an admin that is restored from before it named another one believes nobody, and is the only one after a day', async ({
  clock,
  world,
  alice,
  bob,
  carol,
  chat,
  backUp,
}) => {
  alice = await backUp(alice)
  await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, PATIENTLY)
  for (const person of [bob, carol]) await person.next('notice', ({ notice }) => notice.code === 'admins')
  alice = await world.restore(alice, { clock })
  await alice.next('notice', ({ notice }) => notice.code === 'refused')
  expect(adminsFor(alice, chat)).toEqual([alice.id])
  expect(adminsFor(carol, chat).toSorted()).toEqual(ids([alice, bob]))
  clock.leap(DAY_MS + HOUR_MS)
  await expectAllHear(chat, [alice, bob, carol])
  for (const person of [alice, bob, carol]) expect(adminsFor(person, chat)).toEqual([alice.id])
})
