// How much costly work commits and welcomes cause: it grows with their size, and not with its square.
import {
  type CiphersuiteImpl,
  type ClientState,
  createCommit,
  emptyPskIndex,
  type Proposal,
  processPrivateMessage,
  type RatchetTree,
} from 'ts-mls'
import { verifyParentHashes } from 'ts-mls/parentHash.js'
import { toLeafIndex } from 'ts-mls/treemath.js'
import { createUpdatePath } from 'ts-mls/updatePath.js'
import { describe, expect, it } from 'vitest'
import { utf8 } from './bytes.ts'
import {
  addOf,
  cipherSuite,
  commit,
  EXTENSION_TYPE,
  firstOf,
  plainGroup,
  plainPackage,
  removeOf,
} from './plain-group.ts'

const SIZE = 64
const names = Array.from({ length: SIZE }, (_, at) => `member ${at}`)

/** A suite that counts hashes, signatures, seals and opens. */
function counting() {
  const count = { calls: 0 }
  const counted = <F extends (...args: never[]) => unknown>(step: F): F =>
    ((...args) => {
      count.calls++
      return step(...args)
    }) as F
  const { hash, hpke, signature } = cipherSuite
  const suite: CiphersuiteImpl = {
    ...cipherSuite,
    hash: { ...hash, digest: counted(hash.digest) },
    hpke: { ...hpke, seal: counted(hpke.seal), open: counted(hpke.open) },
    signature: { ...signature, sign: counted(signature.sign), verify: counted(signature.verify) },
  }
  return { count, suite }
}

/** The calls of the member that makes a commit, and of one that follows it. */
async function callsFor(members: ClientState[], extraProposals: Proposal[]): Promise<[made: number, followed: number]> {
  const [first, second] = members as [ClientState, ClientState]
  const [making, following] = [counting(), counting()]
  const options = { extraProposals, ratchetTreeExtension: true }
  const made = await createCommit({ state: first, cipherSuite: making.suite }, options)
  if (made.commit.wireformat !== 'mls_private_message') throw new Error('not private')
  await processPrivateMessage(second, made.commit.privateMessage, emptyPskIndex, following.suite)
  return [making.count.calls, following.count.calls]
}

/**
 * Zero to count - 1, each far from the previous one: the leaves of a tree whose nodes are all filled when each has
 * committed.
 */
const scattered = (count: number): number[] =>
  Array.from({ length: count }, (_, at) => at).sort((one, other) => reversed(one) - reversed(other))
const reversed = (leaf: number): number =>
  Number.parseInt([...leaf.toString(2).padStart(16, '0')].reverse().join(''), 2)

describe('[MLS-1.5] work grows with the size of a commit or a welcome, not with its square', () => {
  it('for removals', async () => {
    const members = await firstOf(names, 2)
    const removals = names.slice(2).map((_, at) => removeOf(at + 2))
    for (const calls of await callsFor(members, removals)) expect(calls).toBeLessThan(10 * SIZE)
  })
  it('for additions', async () => {
    const members = await firstOf(names, 2)
    const packages = await Promise.all(names.map(name => plainPackage(`new ${name}`)))
    for (const calls of await callsFor(members, packages.map(addOf))) expect(calls).toBeLessThan(10 * (2 * SIZE))
  })
  it('for additions: the keys of a member are read a few times, and not for each newcomer', async () => {
    const [state] = (await plainGroup('alice', 'bob')) as [ClientState]
    const bob = state.ratchetTree[2]
    if (bob?.nodeType !== 'leaf') throw new Error('no leaf')
    let looks = 0
    const { hpkePublicKey } = bob.leaf
    const leaf = Object.defineProperty({ ...bob.leaf }, 'hpkePublicKey', {
      get() {
        looks++
        return hpkePublicKey
      },
    })
    const ratchetTree = state.ratchetTree.slice()
    ratchetTree[2] = { nodeType: 'leaf', leaf }
    const packages = await Promise.all(names.map(name => plainPackage(`new ${name}`)))
    await commit({ ...state, ratchetTree }, packages.map(addOf))
    expect(looks).toBeLessThan(SIZE)
  })
  it('for a committer: its path is sought once, and not for each newcomer', async () => {
    const members = await plainGroup(...names.slice(0, 8))
    // Fills the nodes above leaf 7, of which 11 is next to the path of leaf 0 and of all newcomers.
    const filled = await commit(members[7] as ClientState)
    if (filled.commit.wireformat !== 'mls_private_message') throw new Error('not private')
    const { newState: state } = await processPrivateMessage(
      members[0] as ClientState,
      filled.commit.privateMessage,
      emptyPskIndex,
      cipherSuite,
    )
    const beside = state.ratchetTree[11]
    if (beside?.nodeType !== 'parent') throw new Error('no parent')
    let looks = 0
    const ratchetTree = state.ratchetTree.slice()
    ratchetTree[11] = {
      nodeType: 'parent',
      get parent() {
        looks++
        return beside.parent
      },
    }
    const packages = await Promise.all(names.map(name => plainPackage(`new ${name}`)))
    const extensions = [{ extensionType: EXTENSION_TYPE, extensionData: utf8('so that there is a path') }]
    const settings: Proposal = { proposalType: 'group_context_extensions', groupContextExtensions: { extensions } }
    await commit({ ...state, ratchetTree }, [...packages.map(addOf), settings])
    expect(looks).toBeLessThan(SIZE)
  })
  it('for a joiner: each subtree is hashed a few times, however many leaves claim to have committed', async () => {
    const [state] = (await firstOf(names, 1)) as [ClientState]
    const parent = { hpkePublicKey: new Uint8Array(32), parentHash: new Uint8Array(0), unmergedLeaves: [SIZE - 1] }
    const tree: RatchetTree = state.ratchetTree.map(node =>
      node?.nodeType === 'leaf'
        ? { ...node, leaf: { ...node.leaf, leafNodeSource: 'commit' as const, parentHash: new Uint8Array(32) } }
        : node,
    )
    for (const unmergedLeaves of [[], [SIZE - 1]]) {
      const { count, suite } = counting()
      tree[SIZE - 1] = { nodeType: 'parent', parent: { ...parent, unmergedLeaves } }
      expect(await verifyParentHashes(tree, suite.hash)).toBe(false)
      expect(count.calls).toBeLessThan(4 * (2 * SIZE))
    }
  })
  it('for a joiner where each member has committed', async () => {
    const [state] = (await firstOf(names, 1)) as [ClientState]
    let tree = state.ratchetTree
    for (const leaf of scattered(SIZE)) {
      const { groupContext, signaturePrivateKey } = state
      ;[tree] = await createUpdatePath(tree, toLeafIndex(leaf), groupContext, signaturePrivateKey, cipherSuite)
    }
    expect(tree.filter(node => node?.nodeType === 'parent')).toHaveLength(SIZE - 1)
    const { count, suite } = counting()
    expect(await verifyParentHashes(tree, suite.hash)).toBe(true)
    expect(count.calls).toBeLessThan(4 * (2 * SIZE))
  })
})
