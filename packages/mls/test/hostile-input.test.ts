// Foreign bytes from outside: refused in one way, and the session stays unchanged.
import { bytesToBase64, createCommit, createProposal, encodeMlsMessage, makePskIndex } from 'ts-mls'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { decryptMessage, encryptMessage, type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { joinFromWelcome, welcomeReferences } from '../src/group/join-group.ts'
import { decodeKeyPackage } from '../src/group/key-package.ts'
import { encodePrivateMessage, readPrivateMessage } from '../src/group/private-message.ts'
import { flipped, utf8 } from './bytes.ts'
import { context, keyPackageOf, newGroup, pair, person, provider, readCommit, readText, wanted } from './people.ts'

describe('what MLS allows and we refuse', () => {
  const privately = async (session: GroupSession, extraProposals: Parameters<typeof createProposal>[2][]) => {
    const made = await createCommit({ state: session.state, cipherSuite: provider.cipherSuite }, { extraProposals })
    return encodeMlsMessage(made.commit)
  }
  it('[MLS-6.1] other group extensions, reinit, and custom proposals', async () => {
    const { alice, bob } = await pair()
    const extension = { extensionType: 0xf0a2, extensionData: utf8('x') }
    for (const proposal of [
      { proposalType: 'group_context_extensions', groupContextExtensions: { extensions: [extension] } },
      { proposalType: 0xf010, proposalData: utf8('x') },
      {
        proposalType: 'reinit',
        reinit: { groupId: utf8('next'), version: 'mls10', cipherSuite: provider.cipherSuite.name, extensions: [] },
      },
    ] as const) {
      const wire = await privately(alice, [proposal as never])
      await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-forbidden' })
    }
  })
  it('[MLS-8.5] commits and welcomes with a pre-shared key', async () => {
    const { alice, bob } = await pair()
    const [carol, pskId] = [await keyPackageOf(await person('carol')), utf8('psk')]
    const preSharedKeyId = { psktype: 'external', pskId, pskNonce: provider.randomBytes(32) } as const
    const pskIndex = makePskIndex(alice.state, { [bytesToBase64(pskId)]: new Uint8Array(32).fill(7) })
    const { cipherSuite } = provider
    const made = await createCommit(
      { state: alice.state, cipherSuite, pskIndex },
      {
        extraProposals: [
          { proposalType: 'psk', psk: { preSharedKeyId } },
          { proposalType: 'add', add: { keyPackage: decodeKeyPackage(carol.publicBytes) } },
        ],
        ratchetTreeExtension: true,
      },
    )
    const committer = rosterOf(alice).get(0)?.accountId
    const refused = { code: 'mls-forbidden', committer, message: /kind psk/ }
    await expect(decryptMessage(bob, encodeMlsMessage(made.commit))).rejects.toMatchObject(refused)
    if (made.welcome === undefined) throw new Error('no welcome')
    const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
    const joining = joinFromWelcome(context, { welcome, findKeyPackage: () => carol })
    await expect(joining).rejects.toMatchObject({ code: 'mls-malformed', message: /pre-shared key/ })
  })
  it('[MLS-6.1] proposals that stand alone, and everything public', async () => {
    const { alice, bob } = await pair()
    const { cipherSuite } = provider
    const remove = { proposalType: 'remove', remove: { removed: 1 } } as const
    for (const inPublic of [true, false]) {
      const { message } = await createProposal(alice.state, inPublic, remove, cipherSuite)
      await expect(decryptMessage(bob, encodeMlsMessage(message))).rejects.toMatchObject({ code: 'mls-malformed' })
    }
    const { commit } = await createCommit({ state: alice.state, cipherSuite }, { wireAsPublicMessage: true })
    await expect(decryptMessage(bob, encodeMlsMessage(commit))).rejects.toMatchObject({ code: 'mls-malformed' })
  })
  it('[MLS-6.2] a message that a member dates into another epoch or group', async () => {
    const { alice, bob } = await pair()
    for (const change of [{ epoch: 2n }, { epoch: 0n }, { epoch: 2n ** 60n }]) {
      const groupContext = { ...alice.state.groupContext, ...change }
      const { wire } = await encryptMessage({ context, state: { ...alice.state, groupContext } }, utf8('x'))
      await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-wrong-epoch' })
    }
    const { wire } = await encryptMessage((await pair()).alice, utf8('x'))
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject({ code: 'mls-wrong-group' })
  })
  it('[MLS-6.2] a message in another than its one form of bytes', async () => {
    const { alice, bob } = await pair()
    const { wire } = await encryptMessage(alice, utf8('x'))
    expect(encodePrivateMessage(readPrivateMessage(wire))).toEqual(wire)
    const longer = new Uint8Array(wire.length + 1)
    longer.set(wire)
    await expect(decryptMessage(bob, longer)).rejects.toMatchObject({ code: 'mls-malformed' })
    // The ciphertext's length in four bytes instead of two.
    const at = 60
    const length = ((wire[at] as number) & 0x3f) * 256 + (wire[at + 1] as number)
    const padded = new Uint8Array([...wire.slice(0, at), 0x80, 0, length >> 8, length & 255, ...wire.slice(at + 2)])
    await expect(decryptMessage(bob, padded)).rejects.toMatchObject({ code: 'mls-malformed' })
  })
})

describe('tampering', () => {
  it('[MLS-6.3] with any byte of a message or a commit is refused, and the session reads on', async () => {
    const { alice, bob } = await pair()
    const { wire, session } = await encryptMessage(alice, utf8('hello'))
    const { wire: commit } = await commitIntent(session, {})
    for (const original of [wire, commit]) {
      for (let at = 0; at < original.length; at += at < 70 ? 1 : 13) {
        await expect(decryptMessage(bob, flipped(original, at))).rejects.toMatchObject({ name: 'MlsError' })
      }
    }
    const read = await readText(bob, wire)
    expect((await readCommit(read.session, commit)).committerLeaf).toBe(0)
  })
  it('[MLS-6.3] with any byte of a welcome or a key package is refused', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const group = await newGroup(alice)
    const keyPackage = await keyPackageOf(bob)
    const { welcome } = await commitIntent(group, { add: [wanted(bob, keyPackage)] })
    const original = welcome as Uint8Array
    for (let at = 0; at < original.length; at += 7) {
      const opened = joinFromWelcome(context, { welcome: flipped(original, at), findKeyPackage: () => keyPackage })
      await expect(opened).rejects.toMatchObject({ name: 'MlsError' })
    }
    for (let at = 0; at < keyPackage.publicBytes.length; at += 3) {
      const forged = { ...keyPackage, publicBytes: flipped(keyPackage.publicBytes, at) }
      await expect(commitIntent(group, { add: [wanted(bob, forged)] })).rejects.toMatchObject({ name: 'MlsError' })
    }
  })
  it('[MLS-6.3] with what is cut off or made up is refused', async () => {
    const { alice, bob } = await pair()
    const { wire } = await encryptMessage(alice, utf8('hello'))
    for (let length = 0; length < wire.length; length += 11) {
      await expect(decryptMessage(bob, wire.slice(0, length))).rejects.toMatchObject({ code: 'mls-malformed' })
    }
    for (let round = 0; round < 200; round++) {
      const garbage = provider.randomBytes(1 + round * 3)
      await expect(decryptMessage(bob, garbage)).rejects.toMatchObject({ name: 'MlsError' })
      expect(() => welcomeReferences(garbage)).toThrow()
      const findKeyPackage = () => undefined
      await expect(joinFromWelcome(context, { welcome: garbage, findKeyPackage })).rejects.toMatchObject({
        name: 'MlsError',
      })
    }
  })
})
