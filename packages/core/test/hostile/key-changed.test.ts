// A person with another device key than before is reported: it may be a restore, and it may be a thief.
import { clientLimits } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { coreOf } from './modified-client.ts'

const test = base
  .extend(
    'restoredWithLostKeys',
    ({ world }) =>
      async (person: TestPerson, meanwhile: (again: TestPerson) => Promise<void>): Promise<TestPerson> => {
        const again = await world.backUp(person)
        await meanwhile(again)
        return await world.restore(again)
      },
  )
  .extend(
    'isAboutBob',
    ({ bob }) =>
      (event: { notice: { code: string; from?: { id: string } | undefined } }) =>
        event.notice.code === 'key_changed' && event.notice.from?.id === bob.id,
  )

test('[CORE-14.16] in a private chat, when its next generation has another key of the other', async ({
  alice,
  bob,
  restoredWithLostKeys,
  isAboutBob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  const restored = await restoredWithLostKeys(bob, async again => {
    await again.client.chats.setTimer(alice.chatId, 3_600_000, WITHIN)
    await alice.next('notice', event => event.notice.code === 'timer')
  })
  await alice.next('notice', isAboutBob)
  await expect
    .poll(
      async () =>
        await restored.say(alice, 'with another device').then(
          () => 'said',
          () => 'not yet',
        ),
    )
    .toBe('said')
  await alice.hears('with another device')
})

test('[CORE-14.16] in a group, when a member is added anew under another key', async ({
  alice,
  bob,
  carol,
  restoredWithLostKeys,
  isAboutBob,
}) => {
  const id = await alice.createGroup('team', [bob, carol])
  await restoredWithLostKeys(bob, async again => {
    await again.client.chats.renameGroup(id, 'a commit that the backup lacks', WITHIN)
    await alice.next('chat', event => event.chat.name === 'a commit that the backup lacks')
  })
  await alice.next('notice', isAboutBob)
  await carol.next('notice', isAboutBob)
})

test('[CORE-14.39] in the private chat first, however many groups a stranger has filled with both', async ({
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  const { store } = coreOf(alice)
  // As after a stranger made a hundred groups whose ids all come before that of the private chat.
  await store.write(database => {
    for (let at = 0; at < clientLimits.keyChangeToldChatsMax; at++) {
      const id = '2'.repeat(20) + (4 ** 5 + at).toString(4).replaceAll(/[01]/g, digit => (digit === '0' ? 'a' : 'b'))
      database.run(
        `INSERT INTO chat (id, type, state, visible, title, timer_ms, group_id, first_seen_ts)
         VALUES (?, 'group', 'active', 1, '', 0, ?, 0)`,
        id,
        id,
      )
      database.run('INSERT INTO member (chat_id, account_id, admin) VALUES (?, ?, 0)', id, bob.id)
    }
  })
  await coreOf(bob).device.replace(() => {})
  await bob.client.chats.setTimer(alice.chatId, 3_600_000, WITHIN)
  const told = await alice.next('notice', event => event.notice.code === 'key_changed' && event.chat_id === bob.chatId)
  expect(told).toMatchObject({ notice: { from: { id: bob.id } } })
})

test('[CORE-14.16] nobody is told of keys that are seen for the first time, or again', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const id = await alice.createGroup('team', [bob])
  await bob.client.chats.renameGroup(id, 'renamed', WITHIN)
  await alice.next('chat', event => event.chat.name === 'renamed')
  for (const person of [alice, bob])
    expect(
      person.client.journal
        .read(0, 1000)
        .map(({ json }) => json)
        .join(),
    ).not.toContain('key_changed')
})
