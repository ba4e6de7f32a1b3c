// Admins of a group: they name each other, every member is notified, and there is always one.
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { commitAs } from './hostile/modified-client.ts'
import { adminsFor, codesOf, expectAllHear, groupSettings, ids, membersFor } from './hostile/team.ts'

const test = base
  .extend('chat', async ({ alice, bob, carol }): Promise<ChatId> => await alice.createGroup('team', [bob, carol]))
  .extend(
    'appoint',
    ({ chat }) =>
      (by: TestPerson, whom: TestPerson, role: 'admin' | 'member' = 'admin') =>
        by.client.chats.setAdmin(chat, { account: whom.id, role }, WITHIN),
  )
  .extend('agreed', ({ chat }) => async (people: TestPerson[], admins: TestPerson[]) => {
    for (const person of people) await expect.poll(() => adminsFor(person, chat).toSorted()).toEqual(ids(admins))
  })

describe('[CORE-2.11] an admin', () => {
  test('makes others admins, who may do what admins may, and everybody is told', async ({
    alice,
    bob,
    carol,
    chat,
    appoint,
    agreed,
  }) => {
    await appoint(alice, bob)
    await agreed([alice, bob, carol], [alice, bob])
    const { notice } = await carol.next('notice', event => event.notice.code === 'admins')
    expect(notice).toMatchObject({ from: { id: alice.id }, members: [{ id: bob.id }], admin: true })
    await appoint(bob, alice, 'member')
    await agreed([alice, bob, carol], [bob])
    const taken = await alice.next('notice', event => event.notice.code === 'admins')
    expect(taken.notice).toMatchObject({ from: { id: bob.id }, members: [{ id: alice.id }], admin: false })
    await expect(alice.client.chats.removeMembers(chat, [carol.id], WITHIN)).rejects.toMatchObject({
      code: 'not-an-admin',
    })
    await bob.client.chats.removeMembers(chat, [carol.id], WITHIN)
    await expect.poll(() => membersFor(alice, chat)).toEqual(ids([alice, bob]))
    expect(codesOf(alice, chat)).toEqual(['admins', 'removed'])
  })

  test('is the only one who does, names members alone, and says nothing twice', async ({
    alice,
    bob,
    carol,
    mallory,
    appoint,
    agreed,
    chat,
  }) => {
    await expect(appoint(bob, bob)).rejects.toMatchObject({ code: 'not-an-admin' })
    await expect(appoint(alice, mallory)).rejects.toMatchObject({ code: 'not-a-member' })
    await appoint(alice, bob)
    await appoint(alice, bob)
    await appoint(alice, carol, 'member')
    await alice.say(chat, 'last')
    await carol.hears('last')
    await agreed([alice, bob, carol], [alice, bob])
    expect(codesOf(carol, chat).filter(code => code === 'admins')).toHaveLength(1)
  })

  test('stays when it is the last, also counted without who has left', async ({ alice, bob, carol, chat, appoint }) => {
    await expect(appoint(alice, alice, 'member')).rejects.toMatchObject({ code: 'last-admin' })
    await appoint(alice, bob)
    await bob.next('chat', event => event.chat.members.filter(member => member.admin).length === 2)
    await bob.client.chats.leaveGroup(chat, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await expect(appoint(alice, alice, 'member')).rejects.toMatchObject({ code: 'last-admin' })
    await appoint(alice, carol)
    await appoint(alice, alice, 'member')
    await expect.poll(() => adminsFor(carol, chat)).toEqual([carol.id])
  })

  test('stays of two who dismiss each other at the same moment', async ({
    alice,
    bob,
    carol,
    chat,
    appoint,
    agreed,
  }) => {
    await appoint(alice, bob)
    await agreed([alice, bob, carol], [alice, bob])
    const outcomes = await Promise.allSettled([appoint(alice, bob, 'member'), appoint(bob, alice, 'member')])
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'not-an-admin' } }])
    const last = outcomes[0]?.status === 'fulfilled' ? alice : bob
    await agreed([alice, bob, carol], [last])
    await expectAllHear(chat, [alice, bob, carol])
  })

  test('that is none any more, and goes on with a modified client, is not followed', async ({
    alice,
    bob,
    carol,
    chat,
    appoint,
    agreed,
  }) => {
    await appoint(alice, bob)
    await agreed([alice, bob, carol], [alice, bob])
    await appoint(alice, bob, 'member')
    await agreed([alice, bob, carol], [alice])
    await commitAs(bob, chat, () => ({ settings: groupSettings([alice, bob]) }))
    for (const person of [alice, carol]) {
      await person.next('notice', event => event.notice.code === 'refused')
      await expect.poll(() => membersFor(person, chat)).toEqual(ids([alice, carol]))
    }
    await agreed([alice, carol], [alice])
    await expectAllHear(chat, [alice, carol])
  })

  test('is named once under its key', async ({ alice, bob, chat, agreed }) => {
    const within = { ...WITHIN, idempotency: { key: 'a', request: new Uint8Array(32) } }
    const nameBob = () => alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, within)
    await nameBob()
    await agreed([bob], [alice, bob])
    await bob.client.chats.setAdmin(chat, { account: bob.id, role: 'member' }, WITHIN)
    await agreed([alice], [alice])
    await nameBob()
    await agreed([alice, bob], [alice])
  })
})
