// Rules about keys and paths that ts-mls does not check for all members: packages/mls checks them.
import { type CiphersuiteImpl, createCommit, encodeMlsMessage, type Node, type Proposal, type UpdatePath } from 'ts-mls'
import { describe, expect, it } from 'vitest'
import { commitIntent } from '../src/group/commit-intent.ts'
import { decryptMessage, type GroupSession, rosterOf } from '../src/group/group-session.ts'
import { decodeKeyPackage, generateKeyPackage } from '../src/group/key-package.ts'
import { assertKeysUnique } from '../src/group/tree-rules.ts'
import { craftedCommit } from './crafted-commit.ts'
import { context, keyPackageOf, newGroup, person, provider, trio, usualLifetime, wanted } from './people.ts'
import { removeOf } from './plain-group.ts'

const { cipherSuite } = provider
const { hpke } = cipherSuite

const blame = (committer: GroupSession) => ({ code: 'mls-forbidden', committer: rosterOf(committer).get(0)?.accountId })

function hpkeKeyAt({ state }: GroupSession, leaf: number): Uint8Array {
  const node = state.ratchetTree[2 * leaf]
  if (node?.nodeType !== 'leaf') throw new Error('no leaf')
  return node.leaf.hpkePublicKey
}

/** A path of alice's, with other public keys in place of the derived ones: the first is her leaf's. */
async function commitWithKeys({ state }: GroupSession, keys: (Uint8Array | undefined)[], proposals: Proposal[] = []) {
  let made = 0
  const deriveKeyPair: typeof hpke.deriveKeyPair = async secret => {
    const derived = await hpke.deriveKeyPair(secret)
    const key = keys[made++]
    return key === undefined ? derived : { ...derived, publicKey: await hpke.importPublicKey(key) }
  }
  const suite: CiphersuiteImpl = { ...cipherSuite, hpke: { ...hpke, deriveKeyPair } }
  const { commit } = await createCommit({ state, cipherSuite: suite }, { extraProposals: proposals })
  return encodeMlsMessage(commit)
}

describe('[MLS-8.6] a key that occurs twice in the tree', () => {
  it('is refused on a leaf and on a node above it', async () => {
    const { alice } = await trio()
    const { ratchetTree } = alice.state
    const [own, other] = [ratchetTree[0], ratchetTree[2]]
    if (own?.nodeType !== 'leaf' || other?.nodeType !== 'leaf') throw new Error('no leaf')
    const withNode = (index: number, node: Node) => ratchetTree.map((before, at) => (at === index ? node : before))
    const { hpkePublicKey, signaturePublicKey } = other.leaf
    const parent: Node = {
      nodeType: 'parent',
      parent: { hpkePublicKey, parentHash: new Uint8Array(), unmergedLeaves: [] },
    }
    expect(() => assertKeysUnique(ratchetTree)).not.toThrow()
    for (const tree of [
      withNode(0, { ...own, leaf: { ...own.leaf, hpkePublicKey } }),
      withNode(0, { ...own, leaf: { ...own.leaf, signaturePublicKey } }),
      withNode(1, parent),
    ])
      expect(() => assertKeysUnique(tree)).toThrow(expect.objectContaining({ code: 'mls-forbidden' }))
  })

  it.each([
    ['the leaf of a path shows another member’s key', (alice: GroupSession) => [hpkeKeyAt(alice, 1)]],
    ['a node of a path shows another member’s key', (alice: GroupSession) => [undefined, hpkeKeyAt(alice, 1)]],
    [
      'a path shows one key twice',
      () => {
        const key = provider.agreementPublicKey(provider.randomBytes(32))
        return [undefined, key, key]
      },
    ],
  ])('is refused by all members alike where %s', async (_name, keysOf) => {
    const { alice, bob, carol } = await trio()
    const wire = await commitWithKeys(alice, keysOf(alice))
    for (const reader of [bob, carol])
      await expect(decryptMessage(reader, wire)).rejects.toMatchObject({ ...blame(alice), message: /key/ })
  })

  it('is refused by the member that the commit removes, too', async () => {
    const { alice, bob, carol } = await trio()
    const wire = await commitWithKeys(alice, [hpkeKeyAt(alice, 1)], [removeOf(2)])
    for (const reader of [bob, carol]) await expect(decryptMessage(reader, wire)).rejects.toMatchObject(blame(alice))
  })

  it('is refused where two are added with one key, or one with the key of a member', async () => {
    const { alice, bob, carol } = await trio()
    const twin = async (publicKey: Uint8Array) => {
      let made = 0
      // The second key pair of a key package is the leaf's.
      const generateKeyPair = async () => {
        const pair = await hpke.generateKeyPair()
        return ++made === 2 ? { ...pair, publicKey: await hpke.importPublicKey(publicKey) } : pair
      }
      const suite = { ...cipherSuite, hpke: { ...hpke, generateKeyPair } }
      const one = await person('twin')
      const keyPackage = await generateKeyPackage(
        { ...context, provider: { ...provider, cipherSuite: suite } },
        { credential: one.credential, deviceKey: one.deviceKey, lifetime: usualLifetime },
      )
      return { add: wanted(one, keyPackage), bytes: keyPackage.publicBytes }
    }
    const key = provider.agreementPublicKey(provider.randomBytes(32))
    const two = [await twin(key), await twin(key)]
    const taken = [await twin(hpkeKeyAt(alice, 1))]
    for (const added of [two, taken]) {
      await expect(commitIntent(alice, { add: added.map(({ add }) => add) })).rejects.toMatchObject({
        code: 'mls-forbidden',
      })
      const proposals = added.map(
        ({ bytes }): Proposal => ({ proposalType: 'add', add: { keyPackage: decodeKeyPackage(bytes) } }),
      )
      const wire = await craftedCommit(alice, proposals)
      for (const reader of [bob, carol]) await expect(decryptMessage(reader, wire)).rejects.toMatchObject(blame(alice))
    }
  })

  it('is fine for a member that is removed and added again with its device', async () => {
    const [alice, bob] = [await person('alice'), await person('bob')]
    const made = await commitIntent(await newGroup(alice), { add: [wanted(bob, await keyPackageOf(bob))] })
    const again = await commitIntent(made.session, { removeLeaves: [1], add: [wanted(bob, await keyPackageOf(bob))] })
    expect(rosterOf(again.session).size).toBe(2)
  })
})

describe('[MLS-8.7] a path that leaves somebody out', () => {
  async function pathOf({ state }: GroupSession): Promise<UpdatePath> {
    const made = await createCommit({ state, cipherSuite }, { wireAsPublicMessage: true })
    if (made.commit.wireformat !== 'mls_public_message') throw new Error('not public')
    const { content } = made.commit.publicMessage
    if (content.contentType !== 'commit' || content.commit.path === undefined) throw new Error('no path')
    return content.commit.path
  }
  it('is refused by all members, and not only by the one that has no secret', async () => {
    const { alice, bob, carol } = await trio()
    const path = await pathOf(alice)
    const [below, ...above] = path.nodes as [UpdatePath['nodes'][number], ...UpdatePath['nodes']]
    for (const nodes of [
      [{ ...below, encryptedPathSecret: [] }, ...above],
      [{ ...below, encryptedPathSecret: [...below.encryptedPathSecret, ...below.encryptedPathSecret] }, ...above],
      above,
      [...path.nodes, below],
    ]) {
      const wire = await craftedCommit(alice, [], { ...path, nodes })
      for (const reader of [bob, carol])
        await expect(decryptMessage(reader, wire)).rejects.toMatchObject({ ...blame(alice), message: /a path has not/ })
    }
  })
  it('is told from one that removes and adds others', async () => {
    const { alice, bob } = await trio()
    const dave = await person('dave')
    const made = await commitIntent(alice, { removeLeaves: [2], add: [wanted(dave, await keyPackageOf(dave))] })
    await expect(decryptMessage(bob, made.wire)).resolves.toMatchObject({ kind: 'commit' })
  })
})
