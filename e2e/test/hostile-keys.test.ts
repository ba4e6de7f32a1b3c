// A relay that hands out other keys than those of the requested account: nobody is impersonated.
import { openDataDirectory } from '@postern/core/node'
import { equalBytes } from '@postern/protocol'
import { parseInvite } from '@postern/protocol/content'
import { type CallAnswer, decodeRelayFrame } from '@postern/protocol/relay'
import { HostileRelay, type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect, vi } from 'vitest'
import { RecordedLog } from './recorded-log.ts'

type Taken = CallAnswer<'takeKeyPackages'>['taken'][number]
type Fetched = CallAnswer<'getProfile'>

let casts = 0

function replaced(bytes: Uint8Array, { from, to }: { from: Uint8Array; to: Uint8Array }): Uint8Array {
  const changed = bytes.slice()
  let count = 0
  for (let at = 0; at + from.length <= changed.length; at++) {
    if (!equalBytes(changed.subarray(at, at + from.length), from)) continue
    changed.set(to, at)
    count++
  }
  if (count === 0) throw new Error('what is to be replaced is not there')
  return changed
}

async function expectOpensHonestly({ alice, bob, relay }: { alice: TestPerson; bob: TestPerson; relay: HostileRelay }) {
  relay.repent()
  await alice.say(bob, 'for bob alone')
  await bob.hears('for bob alone')
  await bob.say(alice, 'for alice alone')
  await alice.hears('for alice alone')
}

/** A message names the version of its sender's profile; one that arrives before the profile itself finds an older one. */
async function expectSeen({ of, by }: { of: TestPerson; by: TestPerson }, about: string): Promise<void> {
  const look = async () => {
    await of.say(by, 'look at my profile')
    expect(by.client.identity.profileOf(of.id).about).toBe(about)
  }
  await vi.waitFor(look, { timeout: WITHIN.timeoutMs, interval: 50 })
}

const chatsOf = (person: TestPerson): string[] => person.client.chats.list().map(chat => chat.id)

const test = base
  .extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))
  /** Alice's relay is hostile and works together with mallory. Nobody has talked to bob yet. */
  .extend(
    'cast',
    ({ world }) =>
      async (): Promise<{ alice: TestPerson; bob: TestPerson; mallory: TestPerson; relay: HostileRelay }> => {
        const number = ++casts
        const alice = await world.person(`alice ${number}`)
        const bob = await world.person(`bob ${number}`)
        const mallory = await world.person(`mallory ${number}`)
        return { alice, bob, mallory, relay: new HostileRelay(alice.wire) }
      },
  )
  /** The key package that the real relay gives to a person who opens a chat. */
  .extend('keyPackageOf', ({ world }) => async (person: TestPerson): Promise<Uint8Array> => {
    const somebody = await world.person(`somebody ${++casts}`)
    let found: Taken | undefined
    somebody.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind === 'answer' && frame.name === 'takeKeyPackages') found = frame.answer.taken[0]
      return [bytes]
    }
    await somebody.say(person, 'hello')
    if (!found) throw new Error('no key package was taken')
    return found.keyPackage
  })
  /** From the profile that the relay shows to anybody who may read it. */
  .extend('profileAt', ({ world }) => async (person: TestPerson): Promise<Fetched> => {
    const somebody = await world.person(`somebody ${++casts}`)
    const found = Promise.withResolvers<Fetched>()
    somebody.wire.incoming = bytes => {
      const frame = decodeRelayFrame(bytes.slice())
      if (frame.kind === 'answer' && frame.name === 'getProfile') found.resolve(frame.answer)
      return [bytes]
    }
    await somebody.openInvite(person.client.identity.me().inviteUrl)
    return await found.promise
  })

describe('key packages', () => {
  test('[CORE-22.7] one of another account is refused, and that account hears nothing', async ({
    cast,
    keyPackageOf,
  }) => {
    const people = await cast()
    const { alice, bob, mallory, relay } = people
    const keyPackage = await keyPackageOf(mallory)
    relay.changeAnswer('takeKeyPackages', ({ taken }) => ({ taken: taken.map(one => ({ ...one, keyPackage })) }))
    await expect(alice.say(bob, 'for bob alone')).rejects.toThrow(/key package/)
    expect(chatsOf(alice)).toEqual([])
    await expectOpensHonestly(people)
    expect(chatsOf(mallory)).not.toContain(alice.id)
  })

  test('[CORE-22.7] one under the label of another account is not used for the one that was asked for', async ({
    cast,
  }) => {
    const people = await cast()
    const { alice, bob, mallory, relay } = people
    relay.changeAnswer('takeKeyPackages', ({ taken }) => ({
      taken: taken.map(one => ({ ...one, account: mallory.id })),
    }))
    await expect(alice.say(bob, 'for bob alone')).rejects.toMatchObject({ code: 'account-not-found' })
    await expectOpensHonestly(people)
  })

  test('[CORE-22.7] one with the asked account’s key in it and another’s signature is refused', async ({
    cast,
    profileAt,
    keyPackageOf,
  }) => {
    const people = await cast()
    const { alice, bob, mallory, relay } = people
    const from = (await profileAt(mallory)).accountKey
    const to = (await profileAt(bob)).accountKey
    const forged = replaced(await keyPackageOf(mallory), { from, to })
    relay.changeAnswer('takeKeyPackages', ({ taken }) => ({
      taken: taken.map(one => ({ ...one, keyPackage: forged })),
    }))
    await expect(alice.say(bob, 'for bob alone')).rejects.toThrow(/forged/)
    expect(chatsOf(alice)).toEqual([])
    await expectOpensHonestly(people)
  })

  test.for([0, 40, 100, 200, -1])('[CORE-22.7] one with another byte at %i is refused', async (at, { cast }) => {
    const people = await cast()
    const { alice, bob, relay } = people
    relay.changeAnswer('takeKeyPackages', ({ taken }) => ({
      taken: taken.map(one => {
        const keyPackage = one.keyPackage.slice()
        const place = at < 0 ? keyPackage.length + at : at
        keyPackage[place] = (keyPackage[place] as number) ^ 1
        return { ...one, keyPackage }
      }),
    }))
    await expect(alice.say(bob, 'for bob alone')).rejects.toThrow(/key package/)
    await expectOpensHonestly(people)
  })

  test('[CORE-22.7] one account is swapped in a group of many: nobody is added in its place', async ({
    world,
    cast,
    keyPackageOf,
  }) => {
    const { alice, bob, mallory, relay } = await cast()
    const keyPackage = await keyPackageOf(mallory)
    const carol = await world.person(`carol ${casts}`)
    relay.changeAnswer('takeKeyPackages', ({ taken }) => ({
      taken: taken.map(one => (one.account === bob.id ? { ...one, keyPackage } : one)),
    }))
    const group = { name: 'the three of us', members: [bob.id, carol.id] }
    await expect(alice.client.chats.createGroup(group, WITHIN)).rejects.toThrow(/key package/)
    relay.repent()
    const chat = await alice.client.chats.createGroup(group, WITHIN)
    expect(chat.members.map(member => member.id).toSorted()).toEqual([alice.id, bob.id, carol.id].toSorted())
    expect(chatsOf(mallory)).not.toContain(chat.id)
  })
})

describe('profiles', () => {
  test('[CORE-9.3] another account’s profile and key under an account id are refused, and the name stays', async ({
    cast,
    profileAt,
  }) => {
    const { alice, bob, mallory, relay } = await cast()
    const foreign = await profileAt(mallory)
    const asked = Promise.withResolvers<void>()
    relay.changeAnswer('getProfile', () => {
      asked.resolve()
      return { ...foreign, version: 9 }
    })
    await alice.openInvite(bob.client.identity.me().inviteUrl)
    await bob.say(alice, 'hello from bob')
    expect((await alice.hears('hello from bob')).from.name).toBe(bob.name)
    await asked.promise
    expect(alice.client.identity.profileOf(bob.id).name).toBe(bob.name)
    relay.repent()
    await bob.client.identity.setProfile({ about: 'the real one' })
    await expectSeen({ of: bob, by: alice }, 'the real one')
  })

  test('[CORE-9.3] a profile that somebody who knows the profile key sealed and signed is not the account’s own word', async ({
    world,
    cast,
    profileAt,
  }) => {
    const { alice, bob, mallory, relay } = await cast()
    const { profileKey } = parseInvite(bob.client.identity.me().inviteUrl)
    await world.close(mallory)
    const database = openDataDirectory(mallory.directory)
    database.run('UPDATE account SET profile_key = ?', profileKey)
    database.close()
    const impostor = await world.person(mallory.name)
    await impostor.client.identity.setProfile({ name: 'bob, they say', about: 'forged' })
    let forged = await profileAt(impostor)
    // The first one was sealed before the key was swapped; the relay gets the next a moment later.
    while (forged.version < 2) forged = await profileAt(impostor)
    const asked = Promise.withResolvers<void>()
    relay.changeAnswer('getProfile', () => {
      asked.resolve()
      return forged
    })
    await alice.openInvite(bob.client.identity.me().inviteUrl)
    await asked.promise
    await bob.say(alice, 'hello from bob')
    expect((await alice.hears('hello from bob')).from.name).toBe(bob.name)
    expect(alice.client.identity.profileOf(bob.id)).toMatchObject({ name: bob.name, about: '' })
  })

  test('[CORE-9.3, CORE-16.11] a profile with another byte, or an older one under a new version, is refused', async ({
    cast,
    profileAt,
  }) => {
    const { alice, bob, relay } = await cast()
    const genuine = await profileAt(bob)
    await alice.openInvite(bob.client.identity.me().inviteUrl)
    await expect.poll(() => alice.client.identity.profileOf(bob.id).name).toBe(bob.name)
    const spoilt = genuine.blob.slice()
    spoilt[spoilt.length - 1] = (spoilt[spoilt.length - 1] as number) ^ 1
    for (const blob of [spoilt, genuine.blob]) {
      const asked = Promise.withResolvers<void>()
      relay.changeAnswer('getProfile', answer => {
        asked.resolve()
        return { ...answer, blob, version: answer.version + 1 }
      })
      await bob.client.identity.setProfile({ about: 'new' })
      await bob.say(alice, 'look')
      await asked.promise
      await alice.hears('look')
      expect(alice.client.identity.profileOf(bob.id)).toMatchObject({ name: bob.name, about: '' })
    }
    relay.repent()
    await bob.client.identity.setProfile({ about: 'newest' })
    await expectSeen({ of: bob, by: alice }, 'newest')
  })
})

describe('one’s own profile', () => {
  test('[CORE-17.1] changed more than once before the relay heard of it: the last one reaches the others', async ({
    cast,
  }) => {
    const { alice, bob } = await cast()
    await alice.openInvite(bob.client.identity.me().inviteUrl)
    bob.wire.cut()
    for (const about of ['first', 'second', 'third']) await bob.client.identity.setProfile({ about })
    bob.wire.mend()
    await bob.online()
    await expectSeen({ of: bob, by: alice }, 'third')
  })

  test('[CORE-22.8] a relay that refuses every version is not asked for ever, and everything else goes on', async ({
    cast,
  }) => {
    const { alice, bob, relay } = await cast()
    await alice.openInvite(bob.client.identity.me().inviteUrl)
    let tries = 0
    relay.answerInstead('putProfile', () => {
      tries++
      return { accepted: false, version: tries % 2 === 0 ? 0 : 1000 }
    })
    await alice.client.identity.setProfile({ about: 'kept back' })
    await alice.say(bob, 'meanwhile')
    await bob.say(alice, 'meanwhile too')
    await alice.hears('meanwhile too')
    expect(tries).toBeLessThan(20)
    relay.repent()
    alice.wire.drop()
    await alice.online()
    await expectSeen({ of: alice, by: bob }, 'kept back')
  })
})

describe('the challenge', () => {
  test('[RELAY-2.2] a proof is for the challenge of this connection: one that was passed on is refused', async ({
    world,
  }) => {
    const log = new RecordedLog()
    const eve = await world.person(`eve ${++casts}`, { log })
    const relay = new HostileRelay(eve.wire)
    relay.change(frame => (frame.kind === 'challenge' ? [{ ...frame, nonce: new Uint8Array(32) }] : [frame]))
    eve.wire.drop()
    await expect.poll(() => log.warnings.join()).toContain('the signature does not verify')
    expect(eve.client.isOnline).toBe(false)
    relay.repent()
    await eve.online()
  })
})
