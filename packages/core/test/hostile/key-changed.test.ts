// Whoever comes with another device key than before is told of: it may be a restore, and it may be a thief.
import { cpSync, rmSync } from 'node:fs'
import { type Person, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'

const test = base
  .extend(
    'restoredWithLostKeys',
    ({ world }) =>
      async (person: Person, meanwhile: (again: Person) => Promise<void>): Promise<Person> => {
        await world.close(person)
        const backup = `${person.directory}.backup`
        cpSync(person.directory, backup, { recursive: true })
        const again = await world.person(person.name)
        await meanwhile(again)
        await world.close(again)
        rmSync(person.directory, { recursive: true })
        cpSync(backup, person.directory, { recursive: true })
        return await world.person(person.name)
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
  const { id } = await alice.client.chats.createGroup({ name: 'team', members: [bob.id, carol.id] }, WITHIN)
  for (const person of [bob, carol]) await person.next('chat', event => event.chat_id === id)
  await restoredWithLostKeys(bob, async again => {
    await again.client.chats.renameGroup(id, 'a commit that the backup lacks', WITHIN)
    await alice.next('chat', event => event.chat.name === 'a commit that the backup lacks')
  })
  await alice.next('notice', isAboutBob)
  await carol.next('notice', isAboutBob)
})

test('[CORE-14.16] nobody is told of keys that are seen for the first time, or again', async ({ alice, bob }) => {
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const { id } = await alice.client.chats.createGroup({ name: 'team', members: [bob.id] }, WITHIN)
  await bob.next('chat', event => event.chat_id === id)
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
