// Decisions about a group are made in its lane: a commit that was read is in force before its records are written.
import { epoch } from '@postern/mls'
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test as base } from './fixtures.ts'
import { commitAs, coreOf, groupOf } from './modified-client.ts'
import { codesOf, epochOf, expectAllHear } from './team.ts'

const test = base.extend(
  'atNextEpoch',
  () =>
    async <T>(person: TestPerson, chat: ChatId, { change, speak }: Crossing<T>): Promise<T> => {
      const { groups, store } = coreOf(person)
      const group = groupOf(person, chat)
      const next = (await epochOf(person, chat)) + 1
      const reached = groups.until(group, live => epoch(live.session) >= next, WITHIN.timeoutMs)
      // At the moment in which the new keys are in force, and the database does not know of them.
      const spoken = reached.then(() => {
        const stored = store.get<{ epoch: number }>('SELECT epoch FROM mls_group WHERE id = ?', group)
        expect(stored?.epoch).toBe(next - 1)
        return speak()
      })
      await change()
      return await spoken
    },
)

type Crossing<T> = { change: () => Promise<unknown>; speak: () => Promise<T> }

describe('in the moment in which a commit was read', () => {
  test('[CORE-14.40] the first message after a member was cut off reaches that member', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
    atNextEpoch,
  }) => {
    await atNextEpoch(alice, chat, {
      change: () => commitAs(mallory, chat, () => ({ atRelay: { remove: [bob.id] } })),
      speak: () => alice.say(chat, 'to all of you'),
    })
    for (const person of [bob, carol, mallory]) await person.hears('to all of you')
  })

  test('[CORE-5.19] a message has the timer that the commit set', async ({ alice, bob, chat, atNextEpoch }) => {
    const said = await atNextEpoch(alice, chat, {
      change: () => bob.client.chats.setTimer(chat, 3_600_000, WITHIN),
      speak: () => alice.say(chat, 'disappears'),
    })
    expect(said.expires_ts).toBe(said.ts + 3_600_000)
  })

  test('[CORE-14.40] a receipt for a member who was removed by it goes nowhere, and the next one arrives', async ({
    alice,
    bob,
    carol,
    chat,
    atNextEpoch,
  }) => {
    await carol.say(chat, 'before')
    await alice.hears('before')
    await atNextEpoch(bob, chat, {
      change: () => alice.client.chats.removeMembers(chat, [carol.id], WITHIN),
      speak: () => bob.client.messages.markRead(chat),
    })
    const said = await alice.say(chat, 'after')
    await bob.hears('after')
    await bob.client.messages.markRead(chat)
    await expect.poll(() => alice.client.messages.get(chat, said.id).status).toBe('read')
  })
})

describe('a change that crosses another', () => {
  test('[CORE-14.40] an admin who is dismissed meanwhile removes nobody, and breaks no rule', async ({
    alice,
    bob,
    carol,
    mallory,
    chat,
  }) => {
    await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'admin' }, WITHIN)
    await bob.next('notice', event => event.notice.code === 'admins')
    bob.wire.hold()
    await alice.client.chats.setAdmin(chat, { account: bob.id, role: 'member' }, WITHIN)
    const removed = bob.client.chats.removeMembers(chat, [carol.id], WITHIN)
    removed.catch(() => {})
    await expect.poll(() => bob.wire.held.length).toBeGreaterThan(1)
    bob.wire.release()
    await expect(removed).rejects.toMatchObject({ code: 'not-an-admin' })
    await expectAllHear(chat, [alice, bob, carol, mallory])
    for (const person of [alice, carol, mallory]) expect(codesOf(person, chat)).not.toContain('refused')
  })
})
