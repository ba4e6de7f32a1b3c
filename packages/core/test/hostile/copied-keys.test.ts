// A thief with the copied keys of a device, and an account of its own: nobody accepts what it signs as the owner's.
import type { GroupSession } from '@postern/mls'
import { clientLimits, groupIdFromBytes } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { decodeClientFrame } from '@postern/protocol/relay'
import { HostileRelay, ManualClock, type TestPerson, WITHIN } from '@postern/testkit'
import { testInOneWorld as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import type { OwnAccount } from '../../src/identity/account.ts'
import { certify, serialOf } from '../../src/identity/device-certificate.ts'
import { canRead, copiedDevice, coreOf, groupOf, keyPackagesOf, openForged } from './modified-client.ts'
import { codesOf } from './team.ts'

let casts = 0

const ofTwo = (generation: number): GroupSettings => ({ v: 1, type: 'private', generation, timerMs: 0 })
const newGroup = (person: TestPerson) => groupIdFromBytes(coreOf(person).provider.randomBytes(16))

const test = base
  .extend('worldOptions', { scope: 'file' }, () => ({ relayLimits: { newPeoplePerDay: 1000 } }))
  .extend('number', () => ++casts)
  .extend('alice', ({ world, number }) => world.person(`alice ${number}`))
  .extend('bob', ({ world, number }) => world.person(`bob ${number}`))
  .extend('mallory', ({ world, number }) => world.person(`mallory ${number}`))
  .extend('sent', (): Uint8Array[] => [])
  /** Alice's next message is for bob, whatever anyone has sent her. */
  .extend('expectForBobAlone', ({ alice, bob, sent }) => async (forged: GroupSession): Promise<void> => {
    alice.wire.outgoing = bytes => {
      const frame = decodeClientFrame(bytes.slice())
      if (frame.kind === 'call' && frame.name === 'appendMarked') sent.push(frame.request.payload)
      return [bytes]
    }
    await alice.say(bob, 'for bob alone')
    await bob.hears('for bob alone')
    expect(sent.length).toBeGreaterThan(0)
    for (const wire of sent) expect(await canRead(forged, wire)).toBe(false)
  })

/** New keys under a higher serial, as after a restore; alice has seen them. */
async function replaceDevice(bob: TestPerson, alice: TestPerson): Promise<OwnAccount> {
  const before = copiedDevice(bob)
  await coreOf(bob).device.replace(() => {})
  const text = `with another device ${serialOf(coreOf(bob).own)}`
  await bob.client.chats.setTimer(alice.chatId, 3_600_000, WITHIN)
  await bob.say(alice, text)
  await alice.hears(text)
  return before
}

/** A certificate of the same device that ended long ago. */
async function expiredDevice(bob: TestPerson): Promise<OwnAccount> {
  const { own, provider } = coreOf(bob)
  const clock = new ManualClock(Date.now() - clientLimits.deviceCertificateLifetimeMs - 40 * 24 * 3600 * 1000)
  const device = await certify({ provider, clock, accountSecretKey: own.secretKey }, own, serialOf(own))
  return { ...copiedDevice(bob), ...device }
}

const friends = test.extend('friends', { auto: true }, async ({ alice, bob }) => {
  await bob.say(alice, 'hello alice')
  await alice.hears('hello alice')
  await alice.say(bob, 'hello bob')
  await bob.hears('hello bob')
})

describe('[CORE-14.38] a welcome that the owner of its keys has not sent', () => {
  friends.for([
    ['copied', async (bob: TestPerson) => copiedDevice(bob)],
    ['revoked', replaceDevice],
    ['expired', expiredDevice],
  ] as const)(
    'with %s keys, through an honest relay, leads nobody anywhere',
    async ([_what, keysOf], { alice, bob, mallory, expectForBobAlone }) => {
      const as = await keysOf(bob, alice)
      const before = groupOf(alice, bob.chatId)
      const group = newGroup(mallory)
      const session = await openForged(mallory, { group, settings: ofTwo(7), victim: alice.id, as })
      const refused = await alice.next('notice', event => event.notice.code === 'refused')
      expect(refused).toMatchObject({ chat_id: bob.id, notice: { from: { id: bob.id } } })
      await expectForBobAlone(session)
      expect(groupOf(alice, bob.chatId)).toBe(before)
    },
  )
})

describe('[CORE-16.14] a device that its account has replaced', () => {
  friends(
    'opens no chat, also where the relay lies about who sends',
    async ({ alice, bob, mallory, expectForBobAlone }) => {
      const as = await replaceDevice(bob, alice)
      const relay = new HostileRelay(alice.wire)
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: bob.id })))
      const session = await openForged(mallory, { group: newGroup(mallory), settings: ofTwo(7), victim: alice.id, as })
      await alice.next('notice', event => event.notice.code === 'refused')
      relay.repent()
      await expectForBobAlone(session)
    },
  )

  friends(
    'is added by nobody who has seen the newer one, whatever the relay hands out',
    async ({ alice, bob, mallory }) => {
      const [revoked] = await keyPackagesOf(mallory, [bob.id])
      await replaceDevice(bob, alice)
      const relay = new HostileRelay(alice.wire)
      relay.changeAnswer('takeKeyPackages', answer => ({
        ...answer,
        taken: answer.taken.map(one => ({ ...one, keyPackage: revoked?.keyPackage ?? one.keyPackage })),
      }))
      const opening = alice.client.chats.createGroup({ name: 'team', members: [bob.id] }, WITHIN)
      await expect(opening).rejects.toMatchObject({ code: 'relay-broken' })
    },
  )

  friends('is known as replaced over a restart', async ({ world, alice, bob, mallory }) => {
    const as = await replaceDevice(bob, alice)
    await world.close(alice)
    const again = await world.person(alice.name)
    const relay = new HostileRelay(again.wire)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: bob.id })))
    await openForged(mallory, { group: newGroup(mallory), settings: ofTwo(7), victim: again.id, as })
    await again.next('notice', event => event.notice.code === 'refused')
  })

  friends('is known as replaced to who was made again from recovery facts', async ({ world, alice, bob, mallory }) => {
    const as = await replaceDevice(bob, alice)
    const restore = alice.client.identity.recovery()
    await world.close(alice)
    const again = await world.person(`${alice.name}, again`, { restore })
    await expect.poll(() => coreOf(again).store.get("SELECT 1 FROM mls_group WHERE status = 'open'")).toBeDefined()
    const relay = new HostileRelay(again.wire)
    relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: bob.id })))
    await openForged(mallory, { group: newGroup(mallory), settings: ofTwo(2 ** 31), victim: again.id, as })
    await again.next('notice', event => event.notice.code === 'refused')
  })

  friends(
    'does not come back by the group of somebody who has not seen the newer one',
    async ({ alice, bob, mallory }) => {
      const [revoked] = await keyPackagesOf(mallory, [bob.id])
      await replaceDevice(bob, alice)
      await expect.poll(() => codesOf(alice, bob.chatId)).toContain('key_changed')
      const relay = new HostileRelay(mallory.wire)
      relay.changeAnswer('takeKeyPackages', answer => ({
        ...answer,
        taken: answer.taken.map(one => (one.account === bob.id && revoked ? { ...one, ...revoked } : one)),
      }))
      const pin = () =>
        coreOf(alice).store.get('SELECT device_key, device_serial FROM person WHERE account_id = ?', bob.id)
      const before = pin()
      const { id } = await mallory.client.chats.createGroup({ name: 'team', members: [alice.id, bob.id] }, WITHIN)
      await alice.next('chat', event => event.chat_id === id)
      expect(pin()).toEqual(before)
      expect(codesOf(alice, bob.chatId).filter(code => code === 'key_changed')).toHaveLength(1)
    },
  )
})

describe('[CORE-16.15] a certificate that has ended', () => {
  friends(
    'opens no chat, also where the relay lies about who sends',
    async ({ alice, bob, mallory, expectForBobAlone }) => {
      const as = await expiredDevice(bob)
      const relay = new HostileRelay(alice.wire)
      relay.changeEntries(entries => entries.map(entry => ({ ...entry, sender: bob.id })))
      const session = await openForged(mallory, { group: newGroup(mallory), settings: ofTwo(7), victim: alice.id, as })
      await alice.next('notice', event => event.notice.code === 'refused')
      relay.repent()
      await expectForBobAlone(session)
    },
  )
})

describe('[CORE-16.16] who has another certificate than before', () => {
  friends('shows it in groups that are older, and is followed into them', async ({ world, number, alice, bob }) => {
    const carol = await world.person(`carol ${number}`)
    const id = await bob.createGroup('old', [carol])
    await replaceDevice(bob, alice)
    await bob.client.chats.addMembers(id, [alice.id], WITHIN)
    await alice.next('chat', event => event.chat_id === id)
    const told = await carol.next('notice', event => event.notice.code === 'key_changed')
    expect(told).toMatchObject({ chat_id: id, notice: { from: { id: bob.id } } })
    await bob.say(id, 'welcome')
    for (const person of [alice, carol]) await person.hears('welcome')
    await carol.say(id, 'hello to the new device')
    for (const person of [alice, bob]) await person.hears('hello to the new device')
    expect(codesOf(alice, bob.chatId)).not.toContain('refused')
  })

  friends('has renewed it for the same keys, and nobody is told', async ({ world, number, alice, bob }) => {
    const carol = await world.person(`carol ${number}`)
    const id = await bob.createGroup('old', [carol])
    const { own, provider, clock } = coreOf(bob)
    const before = serialOf(own)
    Object.assign(own, await certify({ provider, clock, accountSecretKey: own.secretKey }, own, before + 1))
    await bob.client.chats.addMembers(id, [alice.id], WITHIN)
    await alice.next('chat', event => event.chat_id === id)
    const pin = () => coreOf(alice).store.get('SELECT device_serial FROM person WHERE account_id = ?', bob.id)
    expect(pin()).toEqual({ device_serial: before + 1 })
    for (const person of [alice, carol]) expect(codesOf(person, id)).not.toContain('key_changed')
  })
})
