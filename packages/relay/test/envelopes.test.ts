// Envelopes, profiles and key packages over the wire.
import { randomBytes } from 'node:crypto'
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { arrive, chatOf, testRelay } from './relay-fixture.ts'
import { commitEnvelope, directEnvelope, idOf, messageEnvelope, newPerson } from './test-client.ts'

describe('envelopes', () => {
  test('[RELAY-2.5] group and epoch come from the envelope, and the id from its hash', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payload = messageEnvelope({ group, epoch: 1 })
    const { accepted, epoch } = await alice.append(payload)
    expect(accepted).toMatchObject({ message: idOf(payload), seq: 2, duplicate: false })
    expect(epoch).toBe(1)
    expect((await alice.append(payload)).accepted).toEqual({ ...accepted, duplicate: true })
    const stale = await alice.append(messageEnvelope({ group, epoch: 0 }))
    expect(stale).toEqual({ accepted: undefined, epoch: 1 })
    expect(await alice.call('outcome', { group, message: idOf(payload) })).toMatchObject({ accepted: { seq: 2 } })
  })

  test('[RELAY-1.2] the outcome counts what was sent before it and is not answered yet', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const payload = messageEnvelope({ group, epoch: 1 })
    const [appended, outcome] = await Promise.all([
      alice.append(payload),
      alice.call('outcome', { group, message: idOf(payload) }),
    ])
    expect(outcome.accepted?.seq).toBe(appended.accepted?.seq)
  })

  test('[RELAY-2.5] a call takes the kind of envelope that is its own', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    const sealed = { group, epoch: 1 }
    const refused = { code: 'bad-field' }
    await expect(alice.append(commitEnvelope(sealed))).rejects.toMatchObject(refused)
    await expect(alice.commit(messageEnvelope(sealed))).rejects.toMatchObject(refused)
    await expect(alice.append(messageEnvelope(sealed), { to: bob.id })).rejects.toMatchObject(refused)
    await expect(alice.append(directEnvelope(sealed))).rejects.toMatchObject(refused)
    await expect(alice.append(directEnvelope(sealed), { to: bob.id, leave: true })).rejects.toMatchObject(refused)
    await expect(alice.append(randomBytes(100).fill(7))).rejects.toMatchObject({ code: 'frame-malformed' })
    expect((await alice.append(directEnvelope(sealed), { to: bob.id })).accepted).toBeDefined()
  })

  test('[RELAY-1.12] [RELAY-1.13] each gets what is for them, in the group’s order', async () => {
    const relay = await testRelay()
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob, carol)
    for (const reader of [alice, bob, carol]) await reader.call('follow', { after: 0 })
    const sealed = { group, epoch: 1 }
    await alice.append(messageEnvelope(sealed))
    await bob.append(directEnvelope(sealed), { to: alice.id })
    await carol.append(messageEnvelope(sealed), { leave: true })
    await alice.append(messageEnvelope(sealed))
    await alice.commit(commitEnvelope(sealed), { remove: [carol.id] })
    const kinds = async (reader: typeof alice, count: number) => (await reader.delivered(count)).map(one => one.kind)
    expect(await kinds(bob, 5)).toEqual(['welcome', 'message', 'leave', 'message', 'commit'])
    expect(await kinds(alice, 4)).toEqual(['commit', 'direct', 'leave', 'commit'])
    expect(await kinds(carol, 2)).toEqual(['welcome', 'message'])
    await expect(carol.call('getGroup', { group })).rejects.toMatchObject({ code: 'group-unknown' })
    expect(await bob.call('getGroup', { group })).toEqual({ epoch: 2, members: [alice.id, bob.id] })
  })

  test('[RELAY-1.16] the limit of new people tells when it ends', async () => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1, 20))
    const relay = await testRelay({ clock, limits: { newPeoplePerDay: 1 } })
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    await chatOf(alice, bob)
    await expect(chatOf(alice, carol)).rejects.toMatchObject({
      code: 'new-people-limit',
      details: { retryAtMs: Date.UTC(2030, 0, 2) },
    })
    await chatOf(bob, alice)
    clock.advance(4 * 3_600_000)
    await chatOf(alice, carol)
  })

  test('[RELAY-1.3] what one connection sends without waiting keeps its order', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('follow', { after: 0 })
    const payloads = Array.from({ length: 200 }, () => messageEnvelope({ group, epoch: 1 }))
    const verdicts = await Promise.all(payloads.map(payload => alice.append(payload)))
    expect(verdicts.map(verdict => verdict.accepted?.seq)).toEqual(payloads.map((_, at) => at + 2))
    const delivered = (await bob.delivered(201)).slice(1)
    expect(delivered.map(entry => idOf(entry.payload))).toEqual(payloads.map(idOf))
  })
})

describe('profiles', () => {
  test('[RELAY-1.21] are read by everyone, with the key that the id is made of', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    expect(await bob.call('getProfile', { account: alice.id })).toMatchObject({ version: 0 })
    expect(await alice.call('putProfile', { version: 1, blob: Buffer.from('sealed') })).toEqual({
      accepted: true,
      version: 1,
    })
    expect(await alice.call('putProfile', { version: 1, blob: Buffer.from('other') })).toEqual({
      accepted: false,
      version: 1,
    })
    const profile = await bob.call('getProfile', { account: alice.id })
    expect(Buffer.from(profile.blob).toString()).toBe('sealed')
    expect(Buffer.from(profile.accountKey)).toEqual(Buffer.from(alice.person.account.publicKey))
    const unknown = bob.call('getProfile', { account: newPerson().id })
    await expect(unknown).rejects.toMatchObject({ code: 'account-not-found' })
  })
})

describe('key packages', () => {
  const publish = (count: number, lastResort = false) => ({
    oneTime: Array.from({ length: count }, () => randomBytes(30)),
    lastResort: lastResort ? Buffer.from('last') : undefined,
    replace: false,
  })

  test('[RELAY-1.15] are published by their account and taken by others', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    expect(await bob.call('publishKeyPackages', publish(2, true))).toEqual({ keyPackages: 2 })
    const take = async () => (await alice.call('takeKeyPackages', { accounts: [bob.id] })).taken[0]
    expect([await take(), await take(), await take()].map(taken => taken?.lastResort)).toEqual([false, false, true])
  })

  test('[RELAY-2.13] a call that cannot be served whole uses up none', async () => {
    const relay = await testRelay()
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    await bob.call('publishKeyPackages', publish(2))
    const take = (...accounts: (typeof bob.id)[]) => alice.call('takeKeyPackages', { accounts })
    await expect(take(bob.id, carol.id)).rejects.toMatchObject({ code: 'key-package-missing' })
    await expect(take(bob.id, newPerson().id)).rejects.toMatchObject({ code: 'account-not-found' })
    await expect(take(bob.id, bob.id)).rejects.toMatchObject({ code: 'bad-field' })
    expect(await bob.call('publishKeyPackages', publish(0))).toEqual({ keyPackages: 2 })
  })

  test('[RELAY-2.13] taking is limited in all and per target', async () => {
    const clock = new ManualClock()
    const relay = await testRelay({ clock, limits: { takesPerMinute: 4, takesPerTargetPerMinute: 2 } })
    const [alice, bob, carol] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    for (const person of [bob, carol]) await person.call('publishKeyPackages', publish(20))
    const take = (taker: typeof alice, ...accounts: (typeof bob.id)[]) => taker.call('takeKeyPackages', { accounts })
    await take(alice, bob.id, carol.id)
    await take(alice, bob.id)
    await expect(take(alice, bob.id)).rejects.toMatchObject({ code: 'rate-limited' })
    await expect(take(alice, carol.id)).rejects.toMatchObject({ code: 'rate-limited' })
    await take(carol, bob.id)
    clock.advance(60_000)
    await take(alice, bob.id, carol.id)
  })
})
