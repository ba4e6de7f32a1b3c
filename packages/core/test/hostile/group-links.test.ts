// Requests by links to groups that no honest client sends: the admin's client judges each of them, and never answers.
import { type ChatId, clientLimits, toBase32 } from '@postern/protocol'
import { type GroupLink, parseGroupLink } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { coreOf, groupOf } from './modified-client.ts'
import { speakIn } from './team.ts'

const test = base
  .extend('team', ({ alice, bob }) => alice.createGroup('team', [bob]))
  .extend('link', async ({ alice, team }) => parseGroupLink((await alice.client.groupLinks.make(team)).url))
  /** Mallory's client asks whatever its owner wants, and alice has judged it: nothing waits, and nobody was answered. */
  .extend('expectIgnored', ({ alice, mallory }) => async (link: GroupLink): Promise<void> => {
    await mallory.say(alice, 'before')
    await alice.hears('before')
    await speakIn(mallory, groupOf(mallory, alice.chatId), { body: { kind: 'join-ask', token: link.token } })
    await mallory.say(alice, 'after')
    await alice.hears('after')
    expect(requestsOf(mallory, alice)).toEqual([])
    expect(eventTypes(alice)).not.toContain('join_request')
    expect(mallory.client.groupLinks.asked()).toEqual([])
  })

/** In any state: an answer would be due, too. */
const requestsOf = (asker: TestPerson, admin: TestPerson) =>
  coreOf(admin).store.all('SELECT state FROM join_request WHERE account_id = ?', asker.id)

const eventTypes = (person: TestPerson): string[] =>
  person.client.journal.read(0, 1000).map(({ json }) => JSON.parse(json).type)

describe('[CORE-27.6] a request is ignored', () => {
  test('with a guessed token', async ({ link, expectIgnored }) => {
    await expectIgnored({ ...link, token: 'A'.repeat(22) })
  })

  test('with a revoked token', async ({ alice, team, link, expectIgnored }) => {
    await alice.client.groupLinks.revoke(team, link.token)
    await expectIgnored(link)
  })

  test('once the maker of the link is no admin', async ({ alice, bob, team, link, expectIgnored }) => {
    await alice.client.chats.setAdmin(team, { account: bob.id, role: 'admin' }, WITHIN)
    await bob.next('notice', event => event.notice.code === 'admins')
    await bob.client.chats.setAdmin(team, { account: alice.id, role: 'member' }, WITHIN)
    await alice.next('notice', event => event.notice.code === 'admins')
    await expectIgnored(link)
    expect(alice.client.groupLinks.list(team)).toEqual([])
  })

  test('once the maker of the link has left the group', async ({ alice, team, link, expectIgnored }) => {
    await alice.client.chats.leaveGroup(team, WITHIN)
    await expectIgnored(link)
  })

  test('from a member', async ({ alice, mallory, team, link, expectIgnored }) => {
    await alice.client.chats.addMembers(team, [mallory.id], WITHIN)
    await mallory.next('chat', event => event.chat_id === team)
    await expectIgnored(link)
  })

  test('while too many wait', async ({ alice, link, expectIgnored }) => {
    await coreOf(alice).store.write(database => {
      for (let at = 0; at < clientLimits.joinRequestsMax; at++)
        database.run(
          "INSERT INTO join_request VALUES (?, ?, 1, 'waiting')",
          link.token,
          toBase32(new Uint8Array(20).fill(at)),
        )
    })
    await expectIgnored(link)
  })

  test('in a group, where one message would be a request to all', async ({ alice, bob, mallory, link, team }) => {
    const chat = await mallory.createGroup('trap', [alice])
    await speakIn(mallory, groupOf(mallory, chat), { body: { kind: 'join-ask', token: link.token } })
    await mallory.say(chat, 'after')
    await alice.hears('after')
    expect(requestsOf(mallory, alice)).toEqual([])
    await bob.say(team, 'as before')
    await alice.hears('as before')
  })

  test('from somebody who is blocked, whose name does not change either', async ({
    alice,
    bob,
    mallory,
    link,
    team,
  }) => {
    const versionOf = (person: TestPerson, sql: string) => Object.values(coreOf(person).store.get(sql) ?? {})[0]
    await expect.poll(() => versionOf(mallory, 'SELECT published_version FROM account')).toBe(1)
    await mallory.say(alice, 'before')
    await alice.hears('before')
    // Otherwise alice would fetch the profile that she has heard of, and find the next one.
    const known = `SELECT profile_version FROM person WHERE account_id = '${mallory.id}'`
    await expect.poll(() => versionOf(alice, known)).toBe(1)
    await alice.client.chats.block(mallory.id)
    await mallory.client.identity.setProfile({ name: 'Alice’s boss' })
    await mallory.client.groupLinks.ask(link, WITHIN)
    // A mailbox is read in order.
    await bob.say(team, 'after')
    await alice.hears('after')
    expect(requestsOf(mallory, alice)).toEqual([])
    expect(alice.client.identity.profileOf(mallory.id).name).toBe('mallory')
  })

  test('which was waiting when its sender was blocked', async ({ alice, mallory, link, team }) => {
    await mallory.client.groupLinks.ask(link, WITHIN)
    await alice.next('join_request')
    await alice.client.chats.block(mallory.id)
    expect(alice.client.groupLinks.requests(team)).toEqual([])
  })
})

const stateOf = (person: TestPerson, chat: ChatId) => person.client.chats.list().find(({ id }) => id === chat)?.state

describe('[CORE-27.7] a person who has asked', () => {
  const careful = test.extend('carol', ({ world }) => world.person('carol', { acceptRequests: 'ask' }))

  careful('believes an answer of the asked admin alone', async ({ world, link, mallory }) => {
    const carol = await world.person('carol')
    await carol.client.groupLinks.ask(link, WITHIN)
    await mallory.say(carol, 'before')
    await carol.hears('before')
    const answer = { kind: 'join-answer', token: link.token, outcome: 'declined' } as const
    await speakIn(mallory, groupOf(mallory, carol.chatId), { body: answer })
    await mallory.say(carol, 'after')
    await carol.hears('after')
    expect(carol.client.groupLinks.asked()).toMatchObject([{ state: 'waiting' }])
  })

  careful(
    'is in one group of that admin without being asked, and in no other',
    async ({ alice, carol, mallory, team, link }) => {
      await carol.client.groupLinks.ask(link, WITHIN)
      await alice.next('join_request')
      const trap = await mallory.createGroup('team', [carol])
      expect(stateOf(carol, trap)).toBe('request')
      await alice.client.groupLinks.add(team, carol.id, WITHIN)
      await carol.next('chat', event => event.chat_id === team)
      const other = await alice.createGroup('team', [carol])
      expect([stateOf(carol, team), stateOf(carol, other)]).toEqual(['active', 'request'])
    },
  )

  careful('keeps the profile key of somebody who is known already', async ({ world, alice, carol, link }) => {
    await carol.openInvite(alice.client.identity.me().inviteUrl)
    await alice.say(carol, 'hello')
    await carol.hears('hello')
    // Her next greeting would bring the right key back.
    await world.close(alice)
    const keyOf = () => coreOf(carol).store.get('SELECT profile_key FROM person WHERE account_id = ?', alice.id)
    const before = keyOf()
    await carol.client.groupLinks.ask({ ...link, profileKey: new Uint8Array(32).fill(9) }, WITHIN)
    expect(keyOf()).toEqual(before)
  })

  careful(
    'is not shown in a link that another account forged with the same token',
    async ({ carol, mallory, link }) => {
      await carol.client.groupLinks.ask(link, WITHIN)
      await carol.client.groupLinks.ask({ ...link, account: mallory.id, title: 'trap' }, WITHIN)
      expect(carol.client.groupLinks.asked().map(({ title }) => title)).toEqual(['team', 'trap'])
    },
  )
})

test('[CORE-14.56] who has left can ask for a place again before a commit has removed it', async ({
  alice,
  mallory,
  team,
  link,
}) => {
  await alice.client.chats.addMembers(team, [mallory.id], WITHIN)
  await mallory.next('chat', event => event.chat_id === team && event.chat.state === 'active')
  await mallory.client.chats.leaveGroup(team, WITHIN)
  await alice.next('notice', event => event.notice.code === 'left')
  await mallory.client.groupLinks.ask(link, WITHIN)
  const { join_request } = await alice.next('join_request')
  await alice.client.groupLinks.add(team, join_request.from.id, WITHIN)
  await mallory.next('chat', event => event.chat_id === team && event.chat.state === 'active')
  await alice.say(team, 'welcome back')
  await mallory.hears('welcome back')
})
