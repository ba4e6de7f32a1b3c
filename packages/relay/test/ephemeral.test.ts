// Frames that need not last: to the members that are connected, and into no log.
import { ManualClock } from '@postern/testkit/clock'
import { describe, expect, test } from 'vitest'
import { arrive, chatOf, testRelay } from './relay-fixture.ts'
import { ephemeralEnvelope, messageEnvelope } from './test-client.ts'

const bytes = (payload: Uint8Array): Buffer => Buffer.from(payload)

describe('ephemeral frames', () => {
  test('[RELAY-2.36] they reach the other members that are connected and follow them, and nobody else', async () => {
    const relay = await testRelay()
    const [alice, bob, carol, dave] = [
      await arrive(relay),
      await arrive(relay),
      await arrive(relay),
      await arrive(relay),
    ]
    const group = await chatOf(alice, bob, carol)
    for (const reader of [alice, bob, dave]) await reader.call('followEphemeral', {})
    const sent = ephemeralEnvelope({ group, epoch: 1 })
    await alice.call('sendEphemeral', { payload: sent })
    const [came] = await bob.ephemerals(1)
    expect([came?.sender, bytes(came?.payload ?? sent)]).toEqual([alice.id, bytes(sent)])
    // Frames of a connection are in order: what would have come is there before the answer.
    for (const reader of [alice, carol, dave]) await reader.call('ping', {})
    expect([alice.ephemeral, carol.ephemeral, dave.ephemeral]).toEqual([[], [], []])
    // Asked again, they still come once.
    await bob.call('followEphemeral', {})
    await alice.call('sendEphemeral', { payload: ephemeralEnvelope({ group, epoch: 1 }) })
    await bob.call('ping', {})
    expect(bob.ephemeral).toHaveLength(2)
  })

  test('[RELAY-2.36] they are in no log: who comes later finds none, and the group’s order has no place for them', async () => {
    const relay = await testRelay()
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await alice.call('sendEphemeral', { payload: ephemeralEnvelope({ group, epoch: 1 }) })
    const { accepted } = await alice.append(messageEnvelope({ group, epoch: 1 }))
    expect(accepted?.seq).toBe(2)
    await bob.call('followEphemeral', {})
    await bob.call('follow', { after: 0 })
    expect((await bob.delivered(2)).map(({ kind }) => kind)).toEqual(['welcome', 'message'])
    await bob.call('ping', {})
    expect(bob.ephemeral).toEqual([])
  })

  test('[RELAY-2.37] a stranger sends none, and one of another epoch goes to nobody', async () => {
    const relay = await testRelay()
    const [alice, bob, mallory] = [await arrive(relay), await arrive(relay), await arrive(relay)]
    const group = await chatOf(alice, bob)
    await bob.call('followEphemeral', {})
    const stale = ephemeralEnvelope({ group, epoch: 0 })
    await expect(
      mallory.call('sendEphemeral', { payload: ephemeralEnvelope({ group, epoch: 1 }) }),
    ).rejects.toMatchObject({ code: 'group-unknown' })
    expect(await alice.call('sendEphemeral', { payload: stale })).toEqual({})
    await expect(alice.call('sendEphemeral', { payload: messageEnvelope({ group, epoch: 1 }) })).rejects.toMatchObject({
      code: 'frame-malformed',
    })
    await expect(alice.append(ephemeralEnvelope({ group, epoch: 1 }))).rejects.toMatchObject({
      code: 'frame-malformed',
    })
    await bob.call('ping', {})
    expect(bob.ephemeral).toEqual([])
  })

  test('[RELAY-2.38] an account sends a limited number in a minute, counted by the members', async () => {
    const clock = new ManualClock(Date.UTC(2030, 0, 1))
    const relay = await testRelay({ clock, limits: { ephemeralPerMinute: 20 } })
    const [alice, bob] = [await arrive(relay), await arrive(relay)]
    const many = await Promise.all(Array.from({ length: 14 }, () => arrive(relay)))
    const group = await chatOf(alice, bob)
    const large = await chatOf(bob, ...many)
    const send = (sender: typeof alice, to: typeof group) =>
      sender.call('sendEphemeral', { payload: ephemeralEnvelope({ group: to, epoch: 1 }) })
    await send(alice, group)
    await send(alice, group)
    await expect(send(alice, group)).rejects.toMatchObject({ code: 'rate-limited' })
    await send(bob, large)
    await expect(send(bob, large)).rejects.toMatchObject({ code: 'rate-limited' })
    clock.advance(60_000)
    await send(alice, group)
  })
})
