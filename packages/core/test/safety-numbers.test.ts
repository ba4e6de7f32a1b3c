// Safety numbers: the same on both sides, different for every other key, and never for a key that a relay made up.
import { makeBrowserProvider } from '@postern/mls/browser'
import { makeNodeProvider } from '@postern/mls/node'
import { toBase32 } from '@postern/protocol'
import { HostileRelay, WITHIN } from '@postern/testkit'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { ownProfile } from '../src/identity/profile.ts'
import { safetyNumber } from '../src/identity/safety-number.ts'
import { coreOf } from './hostile/modified-client.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)

test('[CORE-16.4] the number is what it is on every platform, whoever is first, and differs with every key', async () => {
  const provider = makeNodeProvider()
  const shown = safetyNumber(provider, key(1), key(2))
  expect(shown.number).toMatch(/^(\d{5} ){11}\d{5}$/)
  // As released: people have compared it, and an app of another version must show the same.
  expect(shown.number).toBe('06808 05654 29108 37120 32334 22480 10722 23397 89420 71559 65058 39176')
  expect(safetyNumber(provider, key(2), key(1))).toEqual(shown)
  expect(safetyNumber(await makeBrowserProvider(), key(1), key(2))).toEqual(shown)
  for (const other of [safetyNumber(provider, key(1), key(3)), safetyNumber(provider, key(3), key(2))]) {
    const groups = other.number.split(' ')
    expect(groups.filter((group, at) => group === shown.number.split(' ')[at])).toEqual([])
    expect(other.qr).not.toBe(shown.qr)
  }
})

test('[CORE-16.4] two people see the same, before they have talked and after it, also while the relay is away', async ({
  alice,
  bob,
}) => {
  const before = await alice.client.identity.safetyNumber(bob.id, WITHIN)
  expect(await bob.client.identity.safetyNumber(alice.id, WITHIN)).toEqual({ ...before, account: alice.id })
  expect(before.qr).toContain([alice.id, bob.id].toSorted().join(':'))
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  alice.wire.cut()
  expect(await alice.client.identity.safetyNumber(bob.id, WITHIN)).toEqual(before)
})

test('[CORE-16.5] a relay that names another key for the account is found out, and a group’s own word is not asked of it', async ({
  alice,
  bob,
  mallory,
}) => {
  const relay = new HostileRelay(alice.wire)
  const genuine = await mallory.client.identity.safetyNumber(alice.id, WITHIN)
  let swapped: Uint8Array = key(9)
  const seen = new HostileRelay(bob.wire)
  seen.changeAnswer('getProfile', answer => {
    swapped = answer.accountKey
    return answer
  })
  await bob.client.identity.safetyNumber(mallory.id, WITHIN)
  relay.changeAnswer('getProfile', answer => ({ ...answer, accountKey: swapped }))
  await expect(alice.client.identity.safetyNumber(bob.id, WITHIN)).rejects.toMatchObject({ code: 'relay-broken' })
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  const { number } = await alice.client.identity.safetyNumber(bob.id, WITHIN)
  expect(number).toBe((await bob.client.identity.safetyNumber(alice.id, WITHIN)).number)
  expect(number).not.toBe(genuine.number)
})

test('[CORE-16.5] an account that nobody has is refused, and so is one’s own', async ({ alice }) => {
  const nobody = toBase32(new Uint8Array(20)) as typeof alice.id
  await expect(alice.client.identity.safetyNumber(nobody, WITHIN)).rejects.toMatchObject({ code: 'account-not-found' })
  await expect(alice.client.identity.safetyNumber(alice.id, WITHIN)).rejects.toMatchObject({ code: 'bad-field' })
})

test('[CORE-16.13] that it was compared is remembered over restarts and a new device, and taken back by hand alone', async ({
  world,
  alice,
  bob,
}) => {
  await bob.client.identity.setVerified(alice.id, 'verified')
  await alice.say(bob, 'hello')
  await bob.hears('hello')
  await world.close(bob)
  const again = await world.person('bob')
  const chats = () => [again.client.chats.get(alice.chatId), ...again.client.chats.list()]
  const isShown = () => [again.client.identity.profileOf(alice.id), ...chats()].map(({ verified }) => verified)
  expect(isShown()).toEqual([true, true, true])
  const later = await world.backUp(alice)
  await later.say(again, 'since then')
  await again.hears('since then')
  const restored = await world.restore(later)
  await restored.say(again, 'from a new device')
  await again.hears('from a new device')
  expect(isShown()).toEqual([true, true, true])
  // The account's own mark is nobody else's, and a new name of the other person does not remove it.
  expect(restored.client.identity.profileOf(again.id)).not.toHaveProperty('verified')
  await again.client.identity.setVerified(alice.id, 'unverified')
  expect(isShown()).toEqual([undefined, undefined, undefined])
  const own = again.client.identity.setVerified(again.id, 'verified')
  await expect(own).rejects.toMatchObject({ code: 'bad-field' })
})

test('[CORE-16.13] a profile that claims to be verified is not', async ({ alice, bob }) => {
  const core = coreOf(bob)
  await core.store.write(database => {
    const { profile } = ownProfile(database)
    database.run('UPDATE account SET profile = ?', JSON.stringify({ ...profile, verified: true }))
  })
  await bob.client.identity.setProfile({ about: 'trust me' })
  await bob.say(alice, 'hello')
  await alice.hears('hello')
  await expect.poll(() => alice.client.identity.profileOf(bob.id).about).toBe('trust me')
  expect(alice.client.identity.profileOf(bob.id)).not.toHaveProperty('verified')
  expect(alice.client.chats.get(bob.chatId)).not.toHaveProperty('verified')
})
