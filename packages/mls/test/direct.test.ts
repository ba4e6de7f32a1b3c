// A message to one member: read by that member, from that sender, in that epoch, and by nobody else.
import { readEnvelopeHeader } from '@postern/protocol/relay'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { openDirect, sealDirect } from '../src/group/direct.ts'
import { decryptMessage, epoch, groupId } from '../src/group/group-session.ts'
import { epochOf, groupIdOf } from '../src/group/private-message.ts'
import { flipped, text, utf8 } from './bytes.ts'
import { pair, provider, readCommit, trio } from './people.ts'

const TO_LEAF_AT = 33
const FROM_LEAF_AT = 29

describe('direct messages', () => {
  it('[MLS-4.1] are read by the member they are for, who knows the sender', async () => {
    const { alice, bob } = await trio()
    const opened = await openDirect(bob, await sealDirect(alice, 1, utf8('pressed')))
    expect([text(opened.plaintext), opened.senderLeaf]).toEqual(['pressed', 0])
    expect((await openDirect(bob, await sealDirect(alice, 1, utf8('')))).plaintext).toHaveLength(0)
  })
  it('[MLS-4.1] are read by nobody else, not even under a changed address', async () => {
    const { alice, bob, carol } = await trio()
    const wire = await sealDirect(alice, 1, utf8('pressed'))
    await expect(openDirect(carol, wire)).rejects.toMatchObject({ code: 'mls-undecryptable' })
    await expect(openDirect(alice, wire)).rejects.toMatchObject({ code: 'mls-own-message' })
    const readdressed = wire.slice()
    readdressed[TO_LEAF_AT] = 2
    await expect(openDirect(carol, readdressed)).rejects.toMatchObject({ code: 'mls-undecryptable' })
    const fromCarol = wire.slice()
    fromCarol[FROM_LEAF_AT] = 2
    await expect(openDirect(bob, fromCarol)).rejects.toMatchObject({ code: 'mls-undecryptable' })
  })
  it('[MLS-4.1] cannot be written by one member in the name of another', async () => {
    const { alice, bob, carol } = await trio()
    const privatePath = { ...carol.state.privatePath, leafIndex: 0 }
    const asAlice = { ...carol, state: { ...carol.state, privatePath } }
    const wire = await sealDirect(asAlice, 1, utf8('it was alice'))
    await expect(openDirect(bob, wire)).rejects.toMatchObject({ code: 'mls-undecryptable', message: /forged/ })
    expect(epoch(alice)).toBe(epochOf(wire))
  })
  it('[MLS-4.2] hold in their epoch and group alone', async () => {
    const { alice, bob } = await pair()
    const wire = await sealDirect(alice, 1, utf8('x'))
    const made = await commitIntent(alice, {})
    const later = (await readCommit(bob, made.wire)).session
    await expect(openDirect(later, wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
    await expect(openDirect((await pair()).bob, wire)).rejects.toMatchObject({ code: 'mls-wrong-group' })
    const next = await sealDirect(made.session, 1, utf8('next epoch'))
    expect(text((await openDirect(later, next)).plaintext)).toBe('next epoch')
  })
  it('[MLS-4.3] tell the relay their group and epoch, and nothing of their length', async () => {
    const { alice } = await pair()
    const wire = await sealDirect(alice, 1, utf8('x'))
    expect(readEnvelopeHeader(wire)).toEqual({ group: groupId(alice), epoch: 1, kind: 'direct' })
    expect(groupIdOf(wire)).toBe(groupId(alice))
    expect(await sealDirect(alice, 1, new Uint8Array(150))).toHaveLength(wire.length)
  })
  it('[MLS-4.3] differ each time', async () => {
    const { alice } = await pair()
    expect(await sealDirect(alice, 1, utf8('x'))).not.toEqual(await sealDirect(alice, 1, utf8('x')))
  })
  it('[MLS-4.2] are refused when a byte is changed, cut off, added, or made up', async () => {
    const { alice, bob } = await pair()
    const wire = await sealDirect(alice, 1, utf8('x'))
    for (let at = 0; at < wire.length; at += at < 100 ? 1 : 17) {
      await expect(openDirect(bob, flipped(wire, at))).rejects.toMatchObject({ name: 'MlsError' })
      await expect(openDirect(bob, wire.slice(0, at))).rejects.toMatchObject({ name: 'MlsError' })
    }
    const longer = new Uint8Array(wire.length + 1)
    longer.set(wire)
    await expect(openDirect(bob, longer)).rejects.toMatchObject({ code: 'mls-undecryptable' })
    for (let size = 0; size < 400; size += 13) {
      await expect(openDirect(bob, provider.randomBytes(size))).rejects.toMatchObject({ name: 'MlsError' })
    }
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-malformed' })
  })
  it('[MLS-4.4] need a receiver, and members on both sides', async () => {
    const { alice, bob } = await trio()
    await expect(sealDirect(alice, 7, utf8('x'))).rejects.toMatchObject({ code: 'mls-forbidden' })
    const made = await commitIntent(alice, { removeLeaves: [1] })
    const gone = (await readCommit(bob, made.wire)).session
    await expect(sealDirect(gone, 0, utf8('x'))).rejects.toMatchObject({ code: 'mls-removed' })
    await expect(openDirect(gone, await sealDirect(alice, 1, utf8('x')))).rejects.toMatchObject({ code: 'mls-removed' })
  })
})
