// Bytes that hold far more than ours do: refused before the library processes them, and accepted ones are walked once.
import { createCommit, createGroup, encodeMlsMessage, type Proposal, type UpdatePath } from 'ts-mls'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { groupInfoEncoder } from 'ts-mls/groupInfo.js'
import { describe, expect, it } from 'vitest'
import { SETTINGS_EXTENSION } from '../src/group/capabilities.ts'
import { commitIntent } from '../src/group/commit-intent.ts'
import { decryptMessage, epochAuthenticator, type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { joinFromWelcome, welcomeReferences } from '../src/group/join-group.ts'
import { decodeKeyPackage, decodePrivate } from '../src/group/key-package.ts'
import { inspectGroupInfo } from '../src/wire/inspect.ts'
import { flipped, hex, utf8 } from './bytes.ts'
import { craftedCommit } from './crafted-commit.ts'
import { context, groupOf, keyPackageOf, newGroup, pair, person, provider, readCommit, wanted } from './people.ts'
import { cipherSuite, removeOf } from './plain-group.ts'

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

/** A reader whose cryptography is counted. */
function counted(session: GroupSession) {
  const count = { verified: 0 }
  const { signature } = provider.cipherSuite
  const verify: typeof signature.verify = (...signed) => {
    count.verified++
    return signature.verify(...signed)
  }
  const suite = { ...provider.cipherSuite, signature: { ...signature, verify } }
  const counting = { ...context, provider: { ...provider, cipherSuite: suite } }
  return { count, reader: { ...session, context: counting } }
}

describe('[MLS-1.4] a commit that holds more than any of ours', () => {
  async function refused(session: GroupSession, wire: Uint8Array, message: RegExp): Promise<void> {
    const { count, reader } = counted(session)
    await expect(decryptMessage(reader, wire)).rejects.toMatchObject({ code: 'mls-malformed', message })
    expect(count.verified).toBe(0)
  }
  it('thousands of removals', async () => {
    const { alice, bob } = await pair()
    const wire = await craftedCommit(
      alice,
      Array.from({ length: 7_000 }, () => removeOf(1)),
    )
    await refused(bob, wire, /more than 2001 proposals/)
  })
  it('people who say too much about themselves, or have keys that are none', async () => {
    const { alice, bob } = await pair()
    const good = decodeKeyPackage((await keyPackageOf(await person('mallory'))).publicBytes)
    const added = (change: Partial<typeof good.leafNode>): Proposal => ({
      proposalType: 'add',
      add: { keyPackage: { ...good, leafNode: { ...good.leafNode, ...change } } },
    })
    const types = Array.from({ length: 65 }, (_, type) => type)
    const extension = { extensionType: 0xf001, extensionData: utf8('x') }
    const { capabilities } = good.leafNode
    for (const [message, change] of [
      [/64 extension types/, { capabilities: { ...capabilities, extensions: types } }],
      [/64 proposal types/, { capabilities: { ...capabilities, proposals: types } }],
      [/8 extensions/, { extensions: Array.from({ length: 9 }, () => extension) }],
      [/the key of a leaf has 31 bytes/, { hpkePublicKey: good.leafNode.hpkePublicKey.slice(1) }],
      [/signature key of a leaf has 0 bytes/, { signaturePublicKey: new Uint8Array(0) }],
      [/a credential has 300 bytes/, { credential: { credentialType: 'basic', identity: new Uint8Array(300) } }],
      [/key package is too large/, { extensions: [{ ...extension, extensionData: new Uint8Array(4096) }] }],
    ] as const) {
      await refused(bob, await craftedCommit(alice, [added(change as Partial<typeof good.leafNode>)]), message)
    }
  })
  it('more newcomers than there is room for, whose keys are not even looked at', async () => {
    const [alice, bob] = (await groupOf(await person('alice'), await person('bob'))) as [GroupSession, GroupSession]
    const { publicBytes } = await keyPackageOf(await person('mallory'))
    const add: Proposal = { proposalType: 'add', add: { keyPackage: decodeKeyPackage(publicBytes) } }
    const wire = await craftedCommit(
      alice,
      Array.from({ length: 999 }, () => add),
    )
    const { count, reader } = counted(bob)
    const committer = rosterOf(alice).get(0)?.accountId
    await expect(decryptMessage(reader, wire)).rejects.toMatchObject({
      code: 'mls-forbidden',
      committer,
      message: /would have 1001 members/,
    })
    expect(count.verified).toBe(1)
  })
  it('a path longer than any tree of ours is high, or with more secrets than people', async () => {
    const { alice, bob } = await pair()
    const leaf = alice.state.ratchetTree[0]
    if (leaf?.nodeType !== 'leaf') throw new Error('no leaf')
    const leafNode = {
      ...leaf.leaf,
      leafNodeSource: 'commit',
      parentHash: new Uint8Array(32),
    } as UpdatePath['leafNode']
    const key = new Uint8Array(32)
    const secret = { kemOutput: key, ciphertext: new Uint8Array(48) }
    const node = (secrets: number) => ({ hpkePublicKey: key, encryptedPathSecret: times(secrets, secret) })
    await refused(bob, await craftedCommit(alice, [], { leafNode, nodes: times(11, node(1)) }), /10 nodes of a path/)
    await refused(bob, await craftedCommit(alice, [], { leafNode, nodes: [node(1001)] }), /1000 secrets/)
  })
  it('within the limits is read: one that adds nearly a thousand people', async () => {
    const [alice, bob] = (await groupOf(await person('alice'), await person('bob'))) as [GroupSession, GroupSession]
    const add: ReturnType<typeof wanted>[] = []
    while (add.length < 998) {
      const newcomer = await person('newcomer')
      add.push(wanted(newcomer, await keyPackageOf(newcomer)))
    }
    const made = await commitIntent(alice, { add })
    const read = await readCommit(bob, made.wire)
    expect(rosterOf(read.session).size).toBe(1000)
    expect(read.added).toHaveLength(998)
    expect(hex(epochAuthenticator(read.session))).toBe(hex(epochAuthenticator(made.session)))
  })
})

describe('[MLS-1.4] key packages and welcomes that hold more than any of ours', () => {
  it('are refused before they are decoded', async () => {
    const { publicBytes } = await keyPackageOf(await person('mallory'))
    const good = decodeKeyPackage(publicBytes)
    const capabilities = { ...good.leafNode.capabilities, extensions: Array.from({ length: 65 }, (_, type) => type) }
    const keyPackage = { ...good, leafNode: { ...good.leafNode, capabilities } }
    const bytes = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_key_package', keyPackage })
    expect(() => decodeKeyPackage(bytes)).toThrow(
      expect.objectContaining({
        code: 'mls-bad-key-package',
        cause: expect.objectContaining({ code: 'mls-malformed' }),
      }),
    )
    const secret = {
      newMember: new Uint8Array(32),
      encryptedGroupSecrets: { kemOutput: new Uint8Array(32), ciphertext: new Uint8Array(84) },
    }
    const welcomeFor = (secrets: (typeof secret)[]) =>
      encodeMlsMessage({
        version: 'mls10',
        wireformat: 'mls_welcome',
        welcome: { cipherSuite: cipherSuite.name, secrets, encryptedGroupInfo: new Uint8Array(100) },
      })
    expect(welcomeReferences(welcomeFor(times(1000, secret)))).toHaveLength(1000)
    const large = { ...secret.encryptedGroupSecrets, ciphertext: new Uint8Array(300) }
    for (const secrets of [times(1001, secret), [{ ...secret, encryptedGroupSecrets: large }]])
      expect(() => welcomeReferences(welcomeFor(secrets))).toThrow(expect.objectContaining({ code: 'mls-malformed' }))
  })
  it('and so is the group that a welcome leads to', async () => {
    const { state } = await newGroup(await person('mallory'))
    const leaf = state.ratchetTree[0]
    if (leaf?.nodeType !== 'leaf') throw new Error('no leaf')
    const { groupContext, confirmationTag } = state
    const infoWith = (extensionData: Uint8Array, more = 0) => {
      const extra = Array.from({ length: more }, () => ({ extensionType: 0xf001, extensionData: utf8('x') }))
      const extensions = [{ extensionType: 'ratchet_tree', extensionData } as const, ...extra]
      const info = { groupContext, extensions, confirmationTag, signer: 0, signature: new Uint8Array(64) }
      return encode(groupInfoEncoder)(info)
    }
    const blank = (count: number) => {
      const bytes = new Uint8Array(count + 2)
      new DataView(bytes.buffer).setUint16(0, 0x4000 | count)
      return bytes
    }
    expect(() => inspectGroupInfo(infoWith(blank(2047)))).not.toThrow()
    expect(() => inspectGroupInfo(infoWith(blank(2048)))).toThrow(/more than 2047 nodes/)
    expect(() => inspectGroupInfo(infoWith(blank(100), 8))).toThrow(/more than 8 extensions/)
  })
  it('a group that asks more of its members than settings is left before its members are looked at', async () => {
    const [mallory, bob] = [await person('mallory'), await person('bob')]
    const [founder, invited] = [await keyPackageOf(mallory), await keyPackageOf(bob)]
    // Every leaf would be compared with thirty thousand requirements.
    const wishes = new Uint8Array(4 + 60_002)
    new DataView(wishes.buffer).setUint32(0, 0x8000_0000 | 60_000)
    for (let at = 4; at < 60_004; at += 2) new DataView(wishes.buffer).setUint16(at, SETTINGS_EXTENSION)
    const extensions = [
      { extensionType: SETTINGS_EXTENSION, extensionData: utf8('settings') },
      { extensionType: 'required_capabilities' as const, extensionData: wishes },
    ]
    const group = await createGroup(
      provider.randomBytes(16),
      decodeKeyPackage(founder.publicBytes),
      decodePrivate(founder.privateBytes),
      extensions,
      cipherSuite,
      context.config,
    )
    const add: Proposal = { proposalType: 'add', add: { keyPackage: decodeKeyPackage(invited.publicBytes) } }
    const made = await createCommit(
      { state: group, cipherSuite },
      { extraProposals: [add], ratchetTreeExtension: true },
    )
    if (made.welcome === undefined) throw new Error('no welcome')
    const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
    const { count, reader } = counted({ context, state: group })
    const joining = joinFromWelcome(reader.context, { welcome, findKeyPackage: () => invited })
    await expect(joining).rejects.toMatchObject({ code: 'mls-forbidden', message: /settings are not ours/ })
    expect(count.verified).toBe(0)
  })
  it('every way of cutting or bending the bytes of a commit ends in a refusal', async () => {
    const { alice, bob } = await pair()
    const wire = await craftedCommit(alice, [removeOf(1)])
    for (let at = 61; at < wire.length; at += 7)
      await expect(decryptMessage(bob, flipped(wire, at))).rejects.toMatchObject({ name: 'MlsError' })
  })
})
