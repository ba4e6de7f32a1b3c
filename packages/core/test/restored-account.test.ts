// An account whose database is lost, rebuilt from its recovery facts: the same one, on a new device.
import { rmSync } from 'node:fs'
import { openNodeClient } from '@postern/core/node'
import { decodeRecoveryFacts, encodeRecoveryFacts, type RecoveryFacts } from '@postern/protocol/content'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'

/** Encoded and decoded, as in a file. */
const factsOf = (person: TestPerson): RecoveryFacts =>
  decodeRecoveryFacts(encodeRecoveryFacts(person.client.identity.recovery()))

const codesOf = (person: TestPerson): string[] =>
  person.client.journal.read(0, 1000).flatMap(({ json }) => JSON.parse(json).notice?.code ?? [])

const test = base.extend('lost', ({ world }) => async (person: TestPerson): Promise<RecoveryFacts> => {
  const facts = factsOf(person)
  await world.close(person)
  rmSync(person.directory, { recursive: true })
  return facts
})

describe('[CORE-12.7] an account that is made again', () => {
  test('is the same with its people, names, marks and link; its private chats go on with both writing first', async ({
    world,
    alice,
    bob,
    carol,
    mallory,
    bot,
    lost,
  }) => {
    await alice.openInvite(bot.client.identity.me().inviteUrl)
    for (const person of [bob, carol, mallory]) {
      await alice.say(person, 'before')
      await person.hears('before')
      await person.say(alice, 'so it is')
      await alice.hears('so it is')
    }
    await alice.client.identity.setVerified(bob.id, 'verified')
    await alice.client.chats.block(mallory.id)
    await alice.client.identity.setProfile({ about: 'hello' })
    await expect.poll(() => alice.client.identity.profileOf(bot.id).bot).toBe(true)
    const me = alice.client.identity.me()
    const safety = await alice.client.identity.safetyNumber(bob.id, WITHIN)
    const restore = await lost(alice)
    const again = await world.person('alice', { restore, acceptRequests: 'ask' })
    expect(again.client.identity.me()).toEqual(me)
    expect(await again.client.identity.safetyNumber(bob.id, WITHIN)).toEqual(safety)
    expect(again.client.identity.blocked()).toEqual([{ id: mallory.id, name: 'mallory' }])
    const chats = again.client.chats.list().map(({ id, name, state, blocked, verified }) => ({
      ...{ id, name, state },
      ...(blocked && { blocked }),
      ...(verified && { verified }),
    }))
    expect(chats.toSorted((one, two) => (one.name < two.name ? -1 : 1))).toEqual([
      { id: bob.id, name: 'bob', state: 'active', verified: true },
      { id: bot.id, name: 'bot', state: 'active' },
      { id: carol.id, name: 'carol', state: 'active' },
      { id: mallory.id, name: 'mallory', state: 'active', blocked: true },
    ])
    expect(again.texts(bob)).toEqual([])

    await again.say(bot, 'are you there?')
    await bot.hears('are you there?')
    await bot.say(again, 'I am')
    await again.hears('I am')
    await bob.next('notice', ({ notice }) => notice.code === 'key_changed')
    const reached = async () => {
      await bob.say(again, 'hello again')
      return again.texts(bob)
    }
    await expect.poll(reached, { timeout: WITHIN.timeoutMs }).toContain('hello again')
    await expect.poll(() => bob.client.chats.list().filter(({ id }) => id === again.chatId)).toHaveLength(1)
    // A blocked person is not notified.
    expect(codesOf(mallory)).not.toContain('key_changed')
  })

  test('is added to its groups anew, and reads and writes there', async ({ world, alice, bob, carol, lost }) => {
    const chat = await bob.createGroup('three', [alice, carol])
    await alice.say(chat, 'before')
    await bob.hears('before')
    const restore = await lost(alice)
    await carol.say(chat, 'while she was away')
    const again = await world.person('alice', { restore, acceptRequests: 'ask' })
    expect(again.client.chats.get(chat)).toMatchObject({ name: 'three', state: 'active' })
    const says = () =>
      again.say(chat, 'I am back').then(
        () => 'said',
        (error: unknown) => String(error),
      )
    await expect.poll(says, { timeout: WITHIN.timeoutMs }).toBe('said')
    for (const person of [bob, carol]) await person.hears('I am back')
    await bob.say(chat, 'welcome')
    await again.hears('welcome')
    expect(again.texts(chat)).not.toContain('before')
    expect(again.client.chats.get(chat).members).toHaveLength(3)
    expect(again.client.chats.list().map(({ id }) => id)).toEqual([chat])
  })

  test('tells nothing of what came before it was made again, and what of the rest is lost', async ({
    world,
    alice,
    bob,
    lost,
  }) => {
    for (const text of ['one', 'two', 'three']) await bob.say(alice, text)
    await alice.hears('three')
    // With each message, the relay learns how far she has read.
    await alice.say(bob, 'heard')
    const restore = await lost(alice)
    await bob.say(alice, 'into the void')
    const again = await world.person('alice', { restore })
    await bob.next('notice', ({ notice }) => notice.code === 'key_changed')
    await bob.say(again, 'four')
    await again.hears('four')
    expect(again.texts(bob)).toEqual(['four'])
    expect(codesOf(again)).toEqual(['undecryptable'])
  })

  test('changes nothing in a group before it is in it again', async ({ world, alice, bob, lost }) => {
    const chat = await alice.createGroup('two', [bob])
    const restore = await lost(alice)
    await world.close(bob)
    const again = await world.person('alice', { restore })
    const { chats } = again.client
    for (const attempt of [
      () => again.say(chat, 'hello'),
      () => chats.renameGroup(chat, 'one', WITHIN),
      () => chats.setTimer(chat, 60_000, WITHIN),
      () => chats.removeMembers(chat, [bob.id], WITHIN),
      () => chats.leaveGroup(chat, WITHIN),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'chat-healing' })
  })

  test('finds chats that are younger than the facts, as soon as somebody speaks there', async ({
    world,
    alice,
    bob,
    carol,
  }) => {
    await alice.say(bob, 'before')
    await bob.hears('before')
    const restore = factsOf(alice)
    await carol.say(alice, 'a new one')
    await alice.hears('a new one')
    await world.close(alice)
    rmSync(alice.directory, { recursive: true })
    const again = await world.person('alice', { restore })
    const reached = async () => {
      await carol.say(again, 'are you there?')
      return again.client.chats.list().some(({ id }) => id === carol.chatId) && again.texts(carol)
    }
    await expect.poll(reached, { timeout: WITHIN.timeoutMs }).toContain('are you there?')
  })
})

test('[CORE-12.8] the client that still runs with the lost account is put out, and the file can be used again', async ({
  world,
  alice,
  bob,
}) => {
  await alice.say(bob, 'before')
  await bob.hears('before')
  const restore = factsOf(alice)
  const elsewhere = await world.person('alice elsewhere', { restore })
  await expect.poll(() => alice.client.isOnline, { timeout: WITHIN.timeoutMs }).toBe(false)
  await elsewhere.say(bob, 'from elsewhere')
  await bob.hears('from elsewhere')
  await expect(alice.client.messages.sendText(bob.chatId, { text: 'no' }, { timeoutMs: 300 })).rejects.toMatchObject({
    code: 'relay-unreachable',
  })
  const third = await world.person('alice once more', { restore })
  await expect.poll(() => elsewhere.client.isOnline, { timeout: WITHIN.timeoutMs }).toBe(false)
  await third.say(bob, 'from a third place')
  await bob.hears('from a third place')
  expect(bob.texts(third)).toEqual(['before', 'from elsewhere', 'from a third place'])
})

describe('[CORE-12.9] facts', () => {
  test('that are damaged, or of another version, make no account', async ({ world, alice, bob }) => {
    await alice.say(bob, 'hello')
    const facts = alice.client.identity.recovery()
    const [chat] = facts.chats
    const other = { ...facts.account, publicKey: facts.profile.key }
    const broken: [facts: unknown, code: string][] = [
      [{ ...facts, v: 2 }, 'recovery-newer'],
      [{ ...facts, account: other }, 'recovery-damaged'],
      [{ ...facts, account: { ...facts.account, secretKey: 'x' } }, 'recovery-damaged'],
      [{ ...facts, relayUrl: 'javascript:alert(1)' }, 'recovery-damaged'],
      [{ ...facts, people: [{ id: 'nobody' }] }, 'recovery-damaged'],
      [{ ...facts, chats: undefined }, 'recovery-damaged'],
      [{ ...facts, chats: [chat, chat] }, 'recovery-damaged'],
      [{ ...facts, chats: [{ ...chat, type: 'group' }] }, 'recovery-damaged'],
      [undefined, 'recovery-damaged'],
    ]
    for (const [restore, code] of broken) {
      const begun = () => world.person('nobody', { restore: restore as RecoveryFacts })
      if (restore === undefined) expect(() => decodeRecoveryFacts(new Uint8Array(3))).toThrow(/damaged/)
      else await expect(begun()).rejects.toMatchObject({ code })
    }
    // Nothing of it was written: the next start may begin again.
    expect((await world.person('nobody')).id).not.toBe(alice.id)
  })

  test('say of a fault where it stands, and never what', ({ alice }) => {
    const facts = alice.client.identity.recovery()
    const spoilt = { ...facts, account: { ...facts.account, secretKey: `${facts.account.secretKey}x` } }
    const read = () => decodeRecoveryFacts(new TextEncoder().encode(JSON.stringify(spoilt)))
    expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining('account.secretKey') }))
    expect(read).not.toThrow(expect.objectContaining({ message: expect.stringContaining(facts.account.secretKey) }))
  })
})

test('[CORE-12.10] a relay that does not know the account lets nobody in under it, and registers nobody', async ({
  alice,
  otherWorld,
}) => {
  const restore = { ...factsOf(alice), relayUrl: otherWorld.relayUrl }
  const said: string[] = []
  const say = (fields: object) => void said.push(JSON.stringify(fields))
  const client = await openNodeClient({
    directory: `${otherWorld.directory}/alice`,
    acceptRequests: 'all',
    firstStart: () => ({ restore }),
    log: { debug: () => {}, info: () => {}, warn: say, error: say },
  })
  client.start()
  await expect.poll(() => said.join()).toContain('account-unknown')
  expect(client.isOnline).toBe(false)
  await client.stop()
  const bob = await otherWorld.person('bob')
  await expect(bob.client.identity.safetyNumber(alice.id, WITHIN)).rejects.toMatchObject({ code: 'account-not-found' })
})
