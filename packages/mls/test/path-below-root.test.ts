// Where one half of the tree is empty a path ends below the root. Clients up to 0.2 derived one step too many there.
import type { ClientState } from 'ts-mls'
import { applyUpdatePathSecret } from 'ts-mls/createCommit.js'
import { deriveSecret } from 'ts-mls/crypto/kdf.js'
import { generateKeyPackageWithKey, makeKeyPackageRef } from 'ts-mls/keyPackage.js'
import { initializeEpoch } from 'ts-mls/keySchedule.js'
import { encodeMlsMessage } from 'ts-mls/message.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { toLeafIndex } from 'ts-mls/treemath.js'
import { describe, expect, it } from 'vitest'
import { capabilities, EXACT_SECRETS, SETTINGS_EXTENSION } from '../src/group/capabilities.ts'
import { commitIntent } from '../src/group/commit-intent.ts'
import { encryptMessage, epochAuthenticator, type GroupSession, openWholeSession } from '../src/group/group-session.ts'
import type { GeneratedKeyPackage } from '../src/group/key-package.ts'
import { readPrivateMessage } from '../src/group/private-message.ts'
import { fromBase64, hex, text, utf8 } from './bytes.ts'
import {
  context,
  groupOf,
  join,
  keyPackageOf,
  newGroup,
  type Person,
  person,
  provider,
  readCommit,
  readText,
  usualLifetime,
  wanted,
} from './people.ts'
import { halfEmpty } from './vectors/before-fresh-secrets.ts'

const { cipherSuite } = provider
const { kdf } = cipherSuite
const NO_PSK = new Uint8Array(kdf.size)

type Derivation = 'exact' | 'former' | undefined

/** Which derivation a commit used, computed from the path secret that a reader got. */
async function derivationOf(wire: Uint8Array, before: GroupSession, after: GroupSession): Promise<Derivation> {
  const { keySchedule, secretTree, ratchetTree, groupContext, privatePath } = before.state
  const { content } = await unprotectPrivateMessage(
    keySchedule.senderDataSecret,
    readPrivateMessage(wire),
    secretTree,
    ratchetTree,
    groupContext,
    context.config.keyRetentionConfig,
    cipherSuite,
  )
  const { content: framed } = content
  if (framed.contentType !== 'commit' || framed.sender.senderType !== 'member' || !framed.commit.path) return undefined
  const next = after.state.groupContext
  const sealedFor = { ...next, confirmedTranscriptHash: groupContext.confirmedTranscriptHash }
  const sender = toLeafIndex(framed.sender.leafIndex)
  const { path } = framed.commit
  const tree = after.state.ratchetTree
  const { pathSecret } = await applyUpdatePathSecret(tree, privatePath, sender, sealedFor, path, [], cipherSuite)
  const once = await deriveSecret(pathSecret, 'path', kdf)
  const twice = await deriveSecret(once, 'path', kdf)
  const leadsThere = async (secret: Uint8Array) => {
    const made = await initializeEpoch(keySchedule.initSecret, secret, next, NO_PSK, kdf)
    return hex(made.keySchedule.epochAuthenticator) === hex(epochAuthenticator(after))
  }
  if (await leadsThere(once)) return 'exact'
  return (await leadsThere(twice)) ? 'former' : undefined
}

/** A member's session as a client of 0.2 has it: that client knows one derivation, and keeps its leaf as it was. */
function asFormer({ state }: GroupSession): GroupSession {
  const { capabilities: _unknown, ...config } = context.config
  const clientConfig = { ...config, hasFormerCommitSecret: () => true }
  return { context: { ...context, config: clientConfig }, state: { ...state, clientConfig } }
}

/** A key package of a client of 0.2. */
async function formerKeyPackage({ credential, deviceKey }: Person): Promise<GeneratedKeyPackage> {
  const { publicPackage, privatePackage } = await generateKeyPackageWithKey(
    credential,
    { ...capabilities, extensions: [SETTINGS_EXTENSION] },
    { notBefore: BigInt(usualLifetime.notBeforeSec), notAfter: BigInt(usualLifetime.notAfterSec) },
    [],
    { publicKey: deviceKey.publicKey, signKey: deviceKey.secretKey },
    cipherSuite,
  )
  const { initPrivateKey, hpkePrivateKey, signaturePrivateKey } = privatePackage
  return {
    publicBytes: encodeMlsMessage({ version: 'mls10', wireformat: 'mls_key_package', keyPackage: publicPackage }),
    privateBytes: Uint8Array.of(1, ...initPrivateKey, ...hpkePrivateKey, ...signaturePrivateKey),
    reference: await makeKeyPackageRef(publicPackage, cipherSuite.hash),
  }
}

/** Sessions in leaf order: all members have current clients, except the last, whose client is one of 0.2. */
async function mixedGroup(...names: string[]): Promise<GroupSession[]> {
  const [founder, ...others] = (await Promise.all(names.map(name => person(name)))) as [Person, ...Person[]]
  const packages = await Promise.all(
    others.map((one, at) => (at === others.length - 1 ? formerKeyPackage(one) : keyPackageOf(one))),
  )
  const add = others.map((one, at) => wanted(one, packages[at] as GeneratedKeyPackage))
  const made = await commitIntent(await newGroup(founder), { add })
  const joined = await Promise.all(packages.map(keyPackage => join(made, keyPackage)))
  return [made.session, ...joined.slice(0, -1), asFormer(joined.at(-1) as GroupSession)]
}

async function expectTalk(one: GroupSession, other: GroupSession): Promise<void> {
  const said = await encryptMessage(one, utf8('agreed'))
  expect(text((await readText(other, said.wire)).plaintext)).toBe('agreed')
}

const marks = ({ ratchetTree }: ClientState): boolean[] =>
  ratchetTree.flatMap(node =>
    node?.nodeType === 'leaf' ? [node.leaf.capabilities.extensions.includes(EXACT_SECRETS)] : [],
  )

describe('[MLS-8.12] a path that ends below the root', () => {
  it('gives the secret of RFC 9420 in a group of clients of today', async () => {
    const people = await Promise.all(['alice', 'bob', 'carol', 'dave'].map(name => person(name)))
    const [, , carol, dave] = (await groupOf(...people)) as [never, never, GroupSession, GroupSession]
    const removal = await commitIntent(carol, { removeLeaves: [0, 1] })
    const after = (await readCommit(dave, removal.wire)).session
    expect(await derivationOf(removal.wire, dave, after)).toBe('exact')
    const update = await commitIntent(after, {})
    const followed = (await readCommit(removal.session, update.wire)).session
    expect(await derivationOf(update.wire, removal.session, followed)).toBe('exact')
    await expectTalk(update.session, followed)
  })

  it('gives the former secret in a stored group of 0.2, until all its members have clients of today', async () => {
    const [dave, carol] = [halfEmpty.dave, halfEmpty.carolAfter].map(whole =>
      openWholeSession(context, fromBase64(whole)),
    ) as [GroupSession, GroupSession]
    const commit = fromBase64(halfEmpty.commit)
    const followed = (await readCommit(dave, commit)).session
    expect(hex(epochAuthenticator(followed))).toBe(hex(fromBase64(halfEmpty.authenticator)))
    expect(await derivationOf(commit, dave, followed)).toBe('former')
    // Carol's client is current from here on; dave's is one of 0.2 for one more commit.
    const first = await commitIntent(carol, {})
    const atDave = (await readCommit(asFormer(followed), first.wire)).session
    expect(await derivationOf(first.wire, followed, atDave)).toBe('former')
    expect(marks(first.session.state)).toEqual([true, false])
    const updated = { ...atDave, context, state: { ...atDave.state, clientConfig: context.config } }
    const second = await commitIntent(updated, {})
    const atCarol = (await readCommit(first.session, second.wire)).session
    expect(marks(atCarol.state)).toEqual([true, true])
    expect(await derivationOf(second.wire, first.session, atCarol)).toBe('exact')
    await expectTalk(atCarol, second.session)
  })

  it('is followed in a mixed group, whoever of both commits', async () => {
    for (const by of [2, 3] as const) {
      const sessions = await mixedGroup('alice', 'bob', 'carol', 'dave')
      const [committer, reader] = [sessions[by], sessions[5 - by]] as [GroupSession, GroupSession]
      const removal = await commitIntent(committer, { removeLeaves: [0, 1] })
      const after = (await readCommit(reader, removal.wire)).session
      expect(await derivationOf(removal.wire, reader, after)).toBe('former')
      await expectTalk(removal.session, after)
      const back = await commitIntent(after, {})
      const followed = (await readCommit(removal.session, back.wire)).session
      expect(await derivationOf(back.wire, removal.session, followed)).toBe('former')
      await expectTalk(followed, back.session)
    }
  })

  it('changes over when the last client of 0.2 is removed', async () => {
    const sessions = await mixedGroup('alice', 'bob', 'carol', 'dave', 'erin')
    const [carol, dave, erin] = sessions.slice(2) as [GroupSession, GroupSession, GroupSession]
    const removal = await commitIntent(carol, { removeLeaves: [0, 1, 4] })
    expect((await readCommit(erin, removal.wire)).removedSelf).toBe(true)
    const after = (await readCommit(dave, removal.wire)).session
    expect(await derivationOf(removal.wire, dave, after)).toBe('exact')
    await expectTalk(removal.session, after)
  })
})
