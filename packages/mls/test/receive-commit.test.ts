// The report about another member's commit: its changes and, if it breaks a rule, its author.
import { type ClientState, createCommit, defaultAuthenticationService, encodeMlsMessage, type Proposal } from 'ts-mls'
import { describe, expect, it } from 'vitest'
import { changesOf } from '../src/group/commit-changes.ts'
import { commitIntent } from '../src/group/commit-intent.ts'
import { decryptMessage, type GroupSession, memberAccounts, settingsOf } from '../src/group/group-session.ts'
import { decodeKeyPackage } from '../src/group/key-package.ts'
import { flipped, text, utf8 } from './bytes.ts'
import {
  context,
  DAY_SEC,
  deviceOf,
  groupOf,
  keyPackageOf,
  NOW_SEC,
  type Person,
  person,
  provider,
  readCommit,
  wanted,
} from './people.ts'

const { cipherSuite } = provider
const addOf = (publicBytes: Uint8Array): Proposal => ({
  proposalType: 'add',
  add: { keyPackage: decodeKeyPackage(publicBytes) },
})
const removeOf = (removed: number): Proposal => ({ proposalType: 'remove', remove: { removed } })

/** A member whose client checks nothing. */
const hostile = ({ state }: GroupSession): ClientState => ({
  ...state,
  clientConfig: { ...state.clientConfig, authService: defaultAuthenticationService },
})
async function commitOf(state: ClientState, extraProposals: Proposal[], suite = cipherSuite) {
  return encodeMlsMessage((await createCommit({ state, cipherSuite: suite }, { extraProposals })).commit)
}

async function threePeople() {
  const people = { mallory: await person('mallory'), bob: await person('bob'), carol: await person('carol') }
  const sessions = (await groupOf(people.mallory, people.bob, people.carol)) as [
    GroupSession,
    GroupSession,
    GroupSession,
  ]
  const [mallory, bob, carol] = sessions
  return { people, mallory, bob, carol }
}

/** The leaf of a member with other keys or another credential, as its own client would have it. */
function withLeaf(
  state: ClientState,
  { credential, deviceKey }: Pick<Person, 'credential' | 'deviceKey'>,
): ClientState {
  const node = 2 * state.privatePath.leafIndex
  const ratchetTree = state.ratchetTree.slice()
  const own = ratchetTree[node]
  if (own?.nodeType !== 'leaf') throw new Error('no leaf')
  ratchetTree[node] = { ...own, leaf: { ...own.leaf, credential, signaturePublicKey: deviceKey.publicKey } }
  return { ...state, ratchetTree }
}

describe('what a commit changes', () => {
  it('[MLS-1.2] is told alike to who stays and to who is removed', async () => {
    const { people, mallory, bob, carol } = await threePeople()
    const dave = await person('dave')
    const made = await commitIntent(mallory, {
      add: [wanted(dave, await keyPackageOf(dave))],
      removeLeaves: [2],
      settings: utf8('renamed'),
    })
    const changes = {
      committer: people.mallory.accountId,
      committerLeaf: 0,
      added: [{ leaf: 2, accountId: dave.accountId, devicePublicKey: dave.deviceKey.publicKey }],
      removed: [{ leaf: 2, accountId: people.carol.accountId }],
      settings: utf8('renamed'),
      changedKeys: [],
    }
    expect(await readCommit(bob, made.wire)).toMatchObject({ ...changes, removedSelf: false })
    const removed = await readCommit(carol, made.wire)
    expect(removed).toMatchObject({ ...changes, removedSelf: true, readdedSelf: false })
    expect(memberAccounts(removed.session)).toEqual(memberAccounts(made.session))
  })
  it('[MLS-1.2] leaves the settings as they were where it does not name them', async () => {
    const { mallory, bob, carol } = await threePeople()
    const made = await commitIntent(mallory, { removeLeaves: [2] })
    for (const reader of [bob, carol]) expect(text((await readCommit(reader, made.wire)).settings)).toBe('settings')
    expect(text(settingsOf(made.session))).toBe('settings')
  })
  it('[MLS-1.2] names who has another device key after it', async () => {
    const { people, mallory, bob, carol } = await threePeople()
    const other = await deviceOf('mallory', people.mallory.accountKey)
    const state = withLeaf(mallory.state, other)
    // Signed with the current key of the leaf, and put into the tree with the next one.
    const signature = {
      ...cipherSuite.signature,
      sign: (key: Uint8Array, message: Uint8Array) =>
        text(message).includes('LeafNodeTBS')
          ? provider.sign(other.deviceKey.secretKey, message)
          : provider.sign(key, message),
    }
    const wire = await commitOf(state, [], { ...cipherSuite, signature })
    for (const reader of [bob, carol]) {
      expect((await readCommit(reader, wire)).changedKeys).toEqual([people.mallory.accountId])
    }
  })
  it('[MLS-1.2] names who was removed and added anew under another device key, to itself too', async () => {
    const { people, mallory, bob, carol } = await threePeople()
    const again = await deviceOf('carol', people.carol.accountKey)
    const made = await commitIntent(mallory, { removeLeaves: [2], add: [wanted(again, await keyPackageOf(again))] })
    const same = await commitIntent(mallory, {
      removeLeaves: [2],
      add: [wanted(people.carol, await keyPackageOf(people.carol))],
    })
    for (const reader of [bob, carol]) {
      expect((await readCommit(reader, made.wire)).changedKeys).toEqual([people.carol.accountId])
      expect((await readCommit(reader, same.wire)).changedKeys).toEqual([])
    }
    expect(await readCommit(carol, made.wire)).toMatchObject({ removedSelf: true, readdedSelf: true })
  })
})

describe('a commit that breaks the rules', () => {
  /** Key packages that ts-mls adds, and that our clients never make. */
  async function oddPackages(): Promise<[rule: string, Uint8Array][]> {
    const dave = await person('dave')
    const endless = await keyPackageOf(dave, { notBeforeSec: 0, notAfterSec: NOW_SEC + 1000 })
    const stranger = await keyPackageOf({ ...dave, credential: { credentialType: 'basic', identity: utf8('dave') } })
    const forged = await keyPackageOf({ ...dave, deviceKey: await provider.generateSigningKey() })
    return [
      ['too long', endless.publicBytes],
      ['credential is not one of ours', stranger.publicBytes],
      ['validate credential', forged.publicBytes],
    ]
  }
  it('[MLS-1.1] names its committer, to who stays and to who is removed', async () => {
    const { people, mallory, bob, carol } = await threePeople()
    const blame = { code: 'mls-forbidden', committer: people.mallory.accountId }
    for (const [rule, publicBytes] of await oddPackages()) {
      const wire = await commitOf(hostile(mallory), [removeOf(2), addOf(publicBytes)])
      for (const reader of [bob, carol]) {
        await expect(decryptMessage(reader, wire)).rejects.toMatchObject({ ...blame, message: new RegExp(rule) })
      }
    }
    const twin = await keyPackageOf(await deviceOf('bob', people.bob.accountKey))
    const twice = await commitOf(hostile(mallory), [removeOf(2), addOf(twin.publicBytes)])
    for (const reader of [bob, carol]) await expect(decryptMessage(reader, twice)).rejects.toMatchObject(blame)
  })
  it('[MLS-1.1] with a path that does not fit the tree removes nobody', async () => {
    const { people, mallory, bob, carol } = await threePeople()
    // In the tree that mallory hashes bob has another name: her parent hash is wrong for all others.
    const ratchetTree = mallory.state.ratchetTree.slice()
    const node = ratchetTree[2]
    if (node?.nodeType !== 'leaf') throw new Error('no leaf')
    ratchetTree[2] = { ...node, leaf: { ...node.leaf, credential: people.carol.credential } }
    const wire = await commitOf({ ...hostile(mallory), ratchetTree }, [removeOf(2)])
    for (const reader of [bob, carol]) {
      await expect(decryptMessage(reader, wire)).rejects.toMatchObject({
        code: 'mls-forbidden',
        committer: people.mallory.accountId,
      })
    }
  })
  it('[MLS-1.1] for one member alone is that member’s to tell, with the committer’s name', async () => {
    const { people, mallory, bob } = await threePeople()
    const seal: typeof cipherSuite.hpke.seal = async (...sealed) => {
      const { ct, enc } = await cipherSuite.hpke.seal(...sealed)
      return { ct: flipped(ct, 0), enc }
    }
    const wire = await commitOf(mallory.state, [], { ...cipherSuite, hpke: { ...cipherSuite.hpke, seal } })
    const refused = { code: 'mls-undecryptable', committer: people.mallory.accountId }
    await expect(decryptMessage(bob, wire)).rejects.toMatchObject(refused)
  })
  it('[MLS-1.1] blames nobody where anybody may have made it: a wrong tag, a flipped bit, our own leaf', async () => {
    const { mallory, bob } = await threePeople()
    const mac = async (key: Uint8Array, message: Uint8Array) => flipped(await cipherSuite.hash.mac(key, message), 0)
    const wrongTag = await commitOf(mallory.state, [], { ...cipherSuite, hash: { ...cipherSuite.hash, mac } })
    const { wire } = await commitIntent(mallory, {})
    for (const unproven of [wrongTag, flipped(wire, wire.length - 1)]) {
      const refused = { code: 'mls-undecryptable', committer: undefined }
      await expect(decryptMessage(bob, unproven)).rejects.toMatchObject(refused)
    }
    const own = { code: 'mls-own-message', committer: undefined }
    await expect(decryptMessage(mallory, wire)).rejects.toMatchObject(own)
  })
})

describe('an added key package', () => {
  it('[MLS-1.3] is of our suite, for a limited time, of an account of ours, and knows our settings', async () => {
    const { bob } = await threePeople()
    const { publicBytes } = await keyPackageOf(await person('dave'))
    const good = decodeKeyPackage(publicBytes)
    const added = (change: Partial<typeof good>) =>
      changesOf(context, bob.state, [
        {
          proposalOrRefType: 'proposal',
          proposal: { proposalType: 'add', add: { keyPackage: { ...good, ...change } } },
        },
      ])
    const leaf = (change: Partial<typeof good.leafNode>) => ({ leafNode: { ...good.leafNode, ...change } })
    expect(added({}).added).toHaveLength(1)
    for (const bad of [
      { cipherSuite: 'MLS_256_XWING_AES256GCM_SHA512_Ed25519' as const },
      leaf({ leafNodeSource: 'commit' as never }),
      leaf({ lifetime: { notBefore: 0n, notAfter: BigInt(401 * DAY_SEC) } }),
      leaf({ lifetime: { notBefore: 2n, notAfter: 1n } }),
      leaf({ capabilities: { ...good.leafNode.capabilities, extensions: [] } }),
      leaf({ credential: { credentialType: 'basic', identity: utf8('dave') } }),
    ]) {
      expect(() => added(bad)).toThrow(expect.objectContaining({ code: 'mls-forbidden' }))
    }
  })
})
