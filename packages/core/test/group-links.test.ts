// Links to groups: people ask an admin for a place, and the admin decides.
import { type ChatId, clientLimits, isCoded } from '@postern/protocol'
import { parseGroupLink } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { coreOf } from './hostile/modified-client.ts'
import { loseAnswers, loseCalls } from './lossy-wire.ts'

const test = base
  /** Asks its owner about every chat. */
  .extend('carol', ({ world }) => world.person('carol', { acceptRequests: 'ask' }))
  .extend('team', ({ alice, bob }) => alice.createGroup('team', [bob]))

const makeLink = async (admin: TestPerson, chat: ChatId) =>
  parseGroupLink((await admin.client.groupLinks.make(chat)).url)

const waiting = (admin: TestPerson, chat: ChatId) => admin.client.groupLinks.requests(chat).map(({ from }) => from.name)

const asked = (person: TestPerson) => person.client.groupLinks.asked().map(({ title, state }) => [title, state])

const stateOf = (person: TestPerson, chat: ChatId) => person.client.chats.list().find(({ id }) => id === chat)?.state

/** Everything that the first has sent the second before is applied. */
async function settled(from: TestPerson, to: TestPerson): Promise<void> {
  const mark = `mark ${Math.random()}`
  await from.say(to, mark)
  await to.hears(mark)
}

const coded = (code: Parameters<typeof isCoded>[1]) => (error: unknown) => isCoded(error, code)

describe('[CORE-27.1] links to a group', () => {
  test('are made, listed and revoked by an admin, each for itself, up to a limit', async ({ alice, bob, team }) => {
    const { groupLinks } = alice.client
    await expect(bob.client.groupLinks.make(team)).rejects.toSatisfy(coded('not-an-admin'))
    const made = await Promise.all(Array.from({ length: clientLimits.groupLinksMax }, () => groupLinks.make(team)))
    await expect(groupLinks.make(team)).rejects.toSatisfy(coded('group-links-full'))
    expect(new Set(groupLinks.list(team).map(({ url }) => url))).toEqual(new Set(made.map(({ url }) => url)))
    await alice.client.chats.setAdmin(team, { account: bob.id, role: 'admin' }, WITHIN)
    await bob.next('notice', event => event.notice.code === 'admins')
    expect(bob.client.groupLinks.list(team)).toEqual([])
    const [{ token } = { token: '' }] = made
    await expect(bob.client.groupLinks.revoke(team, token)).rejects.toSatisfy(coded('group-link-not-found'))
    await groupLinks.revoke(team, token)
    await expect(groupLinks.revoke(team, token)).rejects.toSatisfy(coded('group-link-not-found'))
    expect(groupLinks.list(team)).toHaveLength(clientLimits.groupLinksMax - 1)
  })

  test('have the current title, and no private chat has any', async ({ alice, bob, team }) => {
    await alice.client.groupLinks.make(team)
    await alice.client.chats.renameGroup(team, 'Гавань', WITHIN)
    const [link] = alice.client.groupLinks.list(team)
    expect(parseGroupLink(link?.url ?? '')).toMatchObject({ account: alice.id, title: 'Гавань', token: link?.token })
    await alice.say(bob, 'hi')
    await expect(alice.client.groupLinks.make(bob.chatId)).rejects.toSatisfy(coded('not-a-group'))
  })

  test('are gone when their maker deletes the group', async ({ alice, team }) => {
    await alice.client.groupLinks.make(team)
    await alice.client.chats.delete(team)
    expect(coreOf(alice).store.all('SELECT 1 FROM group_link')).toEqual([])
  })
})

describe('[CORE-27.2] a request', () => {
  test('reaches the maker of the link with a name, and shows no chat to anybody', async ({
    alice,
    bob,
    carol,
    team,
  }) => {
    const link = await makeLink(alice, team)
    await carol.client.groupLinks.ask(link, WITHIN)
    const { chat_id, join_request } = await alice.next('join_request')
    expect([chat_id, join_request.from]).toEqual([team, { id: carol.id, name: 'carol' }])
    expect([waiting(alice, team), waiting(bob, team)]).toEqual([['carol'], []])
    expect(asked(carol)).toEqual([['team', 'waiting']])
    expect(carol.client.chats.list()).toEqual([])
    expect(alice.client.chats.list().map(({ id }) => id)).toEqual([team])
    const isKnown = coreOf(alice).store.get(
      'SELECT by_link + accepted AS is_contact FROM person WHERE name = ?',
      'carol',
    )
    expect(isKnown).toEqual({ is_contact: 0 })
  })

  test('leaves both free to write to each other', async ({ alice, carol, team }) => {
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await alice.next('join_request')
    await alice.say(carol, 'Who are you?')
    const { chat } = await carol.next('chat')
    expect([chat.id, chat.state]).toEqual([alice.chatId, 'request'])
    await carol.client.chats.accept(alice.chatId)
    await settled(carol, alice)
  })

  test('is sent once, however often it is asked for', async ({ alice, carol, team }) => {
    const [one, two] = [await makeLink(alice, team), await makeLink(alice, team)]
    await Promise.all([carol.client.groupLinks.ask(one, WITHIN), carol.client.groupLinks.ask(one, WITHIN)])
    await carol.client.groupLinks.ask(two, WITHIN)
    await settled(carol, alice)
    expect(waiting(alice, team)).toEqual(['carol'])
    const events = alice.client.journal.read(0, 1000).filter(({ json }) => JSON.parse(json).type === 'join_request')
    expect(events).toHaveLength(1)
  })

  test('waits until the admin is back', async ({ world, alice, carol, team }) => {
    const link = await makeLink(alice, team)
    await world.close(alice)
    await carol.client.groupLinks.ask(link, WITHIN)
    alice = await world.person('alice')
    await expect.poll(() => waiting(alice, team)).toEqual(['carol'])
  })

  test('to oneself, and to somebody who is blocked, is refused', async ({ alice, carol, team }) => {
    const link = await makeLink(alice, team)
    await expect(alice.client.groupLinks.ask(link, WITHIN)).rejects.toSatisfy(coded('bad-field'))
    await carol.client.chats.block(alice.id)
    await expect(carol.client.groupLinks.ask(link, WITHIN)).rejects.toSatisfy(coded('chat-blocked'))
    expect(asked(carol)).toEqual([])
  })

  test('is one of the last twenty', async ({ alice, carol, team }) => {
    const link = await makeLink(alice, team)
    const { store } = coreOf(carol)
    await store.write(database => {
      for (let at = 0; at < clientLimits.joinsAskedMax; at++)
        database.run("INSERT INTO asked_join VALUES ('nobody', ?, 'old', ?, 'waiting')", `token ${at}`, at)
    })
    await carol.client.groupLinks.ask(link, WITHIN)
    const titles = carol.client.groupLinks.asked().map(({ title }) => title)
    expect([titles.length, titles.at(-1)]).toEqual([clientLimits.joinsAskedMax, 'team'])
  })
})

describe('[CORE-27.3] the admin', () => {
  test('adds the person, who is in the group without being asked again', async ({ alice, bob, carol, team }) => {
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await alice.next('join_request')
    await expect(bob.client.groupLinks.add(team, carol.id, WITHIN)).rejects.toSatisfy(coded('not-an-admin'))
    await alice.client.groupLinks.add(team, carol.id, WITHIN)
    const { chat } = await carol.next('chat', event => event.chat_id === team)
    expect([chat.state, asked(carol), waiting(alice, team)]).toEqual(['active', [], []])
    await carol.say(team, 'thank you')
    await bob.hears('thank you')
    await expect(alice.client.groupLinks.add(team, carol.id, WITHIN)).rejects.toSatisfy(coded('join-request-not-found'))
  })

  test('has nothing left to decide when another member has added the person', async ({ alice, bob, carol, team }) => {
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await alice.next('join_request')
    await bob.client.chats.addMembers(team, [carol.id], WITHIN)
    await alice.next('notice', event => event.notice.code === 'joined')
    expect(waiting(alice, team)).toEqual([])
    // Bob was not asked.
    await carol.next('chat', event => event.chat_id === team)
    expect(stateOf(carol, team)).toBe('request')
  })

  test('declines, which the person learns, and is not asked by the same link again', async ({ alice, carol, team }) => {
    const link = await makeLink(alice, team)
    await carol.client.groupLinks.ask(link, WITHIN)
    await alice.next('join_request')
    await alice.client.groupLinks.decline(team, carol.id)
    expect(waiting(alice, team)).toEqual([])
    await expect.poll(() => asked(carol)).toEqual([['team', 'declined']])
    expect(carol.client.chats.list()).toEqual([])
    await carol.client.groupLinks.forgetAsked(link)
    await carol.client.groupLinks.ask(link, WITHIN)
    await settled(carol, alice)
    expect(waiting(alice, team)).toEqual([])
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await expect.poll(() => waiting(alice, team)).toEqual(['carol'])
    await expect(alice.client.groupLinks.decline(team, alice.id)).rejects.toSatisfy(coded('join-request-not-found'))
  })

  test('is not asked again by somebody who was removed, and is by somebody who left', async ({
    alice,
    carol,
    mallory,
    team,
  }) => {
    const link = await makeLink(alice, team)
    for (const person of [carol, mallory]) {
      await person.client.groupLinks.ask(link, WITHIN)
      await expect.poll(() => waiting(alice, team)).toEqual([person.name])
      await alice.client.groupLinks.add(team, person.id, WITHIN)
      await person.next('chat', event => event.chat_id === team)
    }
    await alice.client.chats.removeMembers(team, [mallory.id], WITHIN)
    await carol.client.chats.leaveGroup(team, WITHIN)
    await alice.next('notice', event => event.notice.code === 'left')
    await alice.say(team, 'carol is out of the keys now')
    await mallory.next('notice', event => event.notice.code === 'removed')
    for (const person of [mallory, carol]) {
      await person.client.groupLinks.ask(link, WITHIN)
      await settled(person, alice)
    }
    expect(waiting(alice, team)).toEqual(['carol'])
  })
})

describe('[CORE-27.4] a kill', () => {
  test('after the relay has the request: it waits, and is no second one', async ({ world, alice, carol, team }) => {
    const link = await makeLink(alice, team)
    // The chat is there, so that the request alone is lost.
    await settled(carol, alice)
    const lost = loseAnswers(carol, 'appendMarked')
    const tried = carol.client.groupLinks.ask(link, WITHIN).catch(() => 'killed')
    await alice.next('join_request')
    await expect.poll(lost).toBeGreaterThan(0)
    expect(asked(carol)).toEqual([])
    await world.close(carol)
    expect(await tried).toBe('killed')
    carol = await world.person('carol', { acceptRequests: 'ask' })
    await carol.online()
    expect(asked(carol)).toEqual([['team', 'waiting']])
    await settled(carol, alice)
    expect(waiting(alice, team)).toEqual(['carol'])
  })

  test('before the relay has the request: there is none, and it can be asked for again', async ({
    world,
    alice,
    carol,
    team,
  }) => {
    const link = await makeLink(alice, team)
    await settled(carol, alice)
    const lost = loseCalls(carol, 'appendMarked')
    const tried = carol.client.groupLinks.ask(link, WITHIN).catch(() => 'killed')
    await expect.poll(lost).toBeGreaterThan(0)
    await world.close(carol)
    expect(await tried).toBe('killed')
    carol = await world.person('carol', { acceptRequests: 'ask' })
    await carol.online()
    expect(asked(carol)).toEqual([])
    await carol.client.groupLinks.ask(link, WITHIN)
    await expect.poll(() => waiting(alice, team)).toEqual(['carol'])
  })

  test('before the answer was sent: it is sent after the restart', async ({ world, alice, carol, team }) => {
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await alice.next('join_request')
    alice.wire.cut()
    await alice.client.groupLinks.decline(team, carol.id)
    await world.close(alice)
    await world.person('alice')
    await expect.poll(() => asked(carol)).toEqual([['team', 'declined']])
  })

  test('after the answer was sent: a second answer changes nothing', async ({ world, alice, carol, team }) => {
    await carol.client.groupLinks.ask(await makeLink(alice, team), WITHIN)
    await alice.next('join_request')
    loseAnswers(alice, 'appendMarked')
    await alice.client.groupLinks.decline(team, carol.id)
    await expect.poll(() => asked(carol)).toEqual([['team', 'declined']])
    await world.close(alice)
    alice = await world.person('alice')
    const due = () => coreOf(alice).store.all("SELECT 1 FROM join_request WHERE state <> 'declined'")
    await expect.poll(due).toEqual([])
    expect(asked(carol)).toEqual([['team', 'declined']])
  })

  test('of the relay: nothing is sent while it cannot be reached, and nothing later', async ({
    world,
    clock,
    alice,
    team,
  }) => {
    const dave = await world.person('dave', { clock })
    const link = await makeLink(alice, team)
    dave.wire.cut()
    const tried = dave.client.groupLinks.ask(link, { timeoutMs: 1_000 }).catch((error: unknown) => error)
    clock.advance(1_000)
    expect(await tried).toSatisfy(coded('relay-unreachable'))
    expect(asked(dave)).toEqual([])
  })
})

test('[CORE-27.5] a restore from a backup revokes all links and drops what waits by them', async ({
  world,
  alice,
  carol,
  mallory,
  team,
}) => {
  const [kept, revoked] = [await makeLink(alice, team), await makeLink(alice, team)]
  await carol.client.groupLinks.ask(kept, WITHIN)
  await alice.next('join_request')
  alice = await world.backUp(alice)
  expect([alice.client.groupLinks.list(team).length, waiting(alice, team)]).toEqual([2, ['carol']])
  await alice.client.groupLinks.revoke(team, revoked.token)
  await alice.client.groupLinks.decline(team, carol.id)
  await expect.poll(() => asked(carol)).toEqual([['team', 'declined']])
  alice = await world.restore(alice)
  await alice.online()
  expect([alice.client.groupLinks.list(team), waiting(alice, team)]).toEqual([[], []])
  for (const link of [kept, revoked]) await mallory.client.groupLinks.ask(link, WITHIN)
  await settled(mallory, alice)
  expect(waiting(alice, team)).toEqual([])
})

test('[CORE-27.5] so does a restore of the relay, after which a client cannot tell whether its database is the newest', async ({
  world,
  alice,
  team,
}) => {
  await alice.client.groupLinks.make(team)
  await world.backUpRelay()
  await world.close(alice)
  await world.restoreRelay()
  alice = await world.person('alice')
  await alice.online()
  expect(alice.client.groupLinks.list(team)).toEqual([])
})
