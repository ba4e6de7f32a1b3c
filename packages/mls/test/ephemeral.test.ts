// A frame that need not arrive: read by every other member of the epoch, in its sender's name alone.
import { readEphemeralHeader } from '@postern/protocol/relay'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { openEphemeral, sealEphemeral } from '../src/group/ephemeral.ts'
import { decryptMessage, encryptMessage, groupId, ownSends } from '../src/group/group-session.ts'
import { flipped, text, utf8 } from './bytes.ts'
import { pair, provider, readCommit, trio } from './people.ts'

describe('ephemeral frames', () => {
  it('[MLS-4.5] are read by every other member, who knows the sender', async () => {
    const { alice, bob, carol } = await trio()
    const wire = await sealEphemeral(alice, utf8('typing'))
    for (const reader of [bob, carol]) {
      const { plaintext, senderLeaf } = await openEphemeral(reader, wire)
      expect([text(plaintext), senderLeaf]).toEqual(['typing', 0])
    }
    await expect(openEphemeral(alice, wire)).rejects.toMatchObject({ code: 'mls-own-message' })
  })
  it('[MLS-4.5] cannot be written by one member in the name of another', async () => {
    const { bob, carol } = await trio()
    const asAlice = {
      ...carol,
      state: { ...carol.state, privatePath: { ...carol.state.privatePath, leafIndex: 0 } },
    }
    const wire = await sealEphemeral(asAlice, utf8('alice types'))
    await expect(openEphemeral(bob, wire)).rejects.toMatchObject({ code: 'mls-undecryptable', message: /forged/ })
  })
  it('[MLS-4.6] hold in their epoch and group alone', async () => {
    const { alice, bob } = await pair()
    const wire = await sealEphemeral(alice, utf8('x'))
    const made = await commitIntent(alice, {})
    const later = (await readCommit(bob, made.wire)).session
    await expect(openEphemeral(later, wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
    await expect(openEphemeral((await pair()).bob, wire)).rejects.toMatchObject({ code: 'mls-wrong-group' })
  })
  it('[MLS-4.6] are refused when a byte is changed, cut off, added, or made up', async () => {
    const { alice, bob } = await pair()
    const wire = await sealEphemeral(alice, utf8('x'))
    for (let at = 0; at < wire.length; at += at < 60 ? 1 : 17) {
      await expect(openEphemeral(bob, flipped(wire, at))).rejects.toMatchObject({ name: 'MlsError' })
      await expect(openEphemeral(bob, wire.slice(0, at))).rejects.toMatchObject({ name: 'MlsError' })
    }
    await expect(openEphemeral(bob, Uint8Array.of(...wire, 0))).rejects.toMatchObject({ name: 'MlsError' })
    await expect(openEphemeral(bob, provider.randomBytes(300))).rejects.toMatchObject({ name: 'MlsError' })
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-malformed' })
  })
  it('[MLS-4.7] use no key of a ratchet: lost ones are not missed by the next message', async () => {
    const { alice, bob } = await pair()
    for (let lost = 0; lost < 300; lost++) await sealEphemeral(alice, utf8('x'))
    expect(ownSends(alice)).toBe(0)
    const { wire } = await encryptMessage(alice, utf8('after them'))
    expect(await decryptMessage(bob, wire)).toMatchObject({ kind: 'application', skipped: 0 })
  })
  it('[MLS-4.7] tell the relay their group and epoch, and nothing of their length', async () => {
    const { alice } = await pair()
    const wire = await sealEphemeral(alice, utf8('x'))
    expect(readEphemeralHeader(wire)).toEqual({ group: groupId(alice), epoch: 1 })
    expect(await sealEphemeral(alice, new Uint8Array(150))).toHaveLength(wire.length)
    expect(await sealEphemeral(alice, utf8('x'))).not.toEqual(await sealEphemeral(alice, utf8('x')))
  })
})
