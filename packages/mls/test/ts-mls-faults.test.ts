// The faults of ts-mls 1.6.4 that patches/ts-mls+1.6.4.patch mends: each test fails without the patch.
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  acceptAll,
  bytesToBase64,
  type ClientState,
  createApplicationMessage,
  createCommit,
  emptyPskIndex,
  makePskIndex,
  type Proposal,
  processMessage,
  processPrivateMessage,
} from 'ts-mls'
import { validateLeafNodeCredentialAndKeyUniqueness, validateRatchetTree } from 'ts-mls/clientState.js'
import { processCommit } from 'ts-mls/processMessages.js'
import { directPath, toLeafIndex, toNodeIndex } from 'ts-mls/treemath.js'
import { applyUpdatePath } from 'ts-mls/updatePath.js'
import { describe, expect, it } from 'vitest'
import { hex, utf8 } from './bytes.ts'
import {
  addOf,
  CUSTOM_PROPOSAL_TYPE,
  cipherSuite,
  commit,
  EXTENSION_TYPE,
  join,
  plainGroup,
  plainPackage,
  removeOf,
} from './plain-group.ts'

type Commit = Awaited<ReturnType<typeof commit>>
const authenticator = (state: ClientState) => hex(state.keySchedule.epochAuthenticator)

function messageOf({ commit }: Commit) {
  if (commit.wireformat !== 'mls_private_message' && commit.wireformat !== 'mls_public_message') throw new Error('odd')
  return commit
}
async function apply(made: Commit, state: ClientState): Promise<ClientState> {
  return (await processMessage(messageOf(made), state, emptyPskIndex, acceptAll, cipherSuite)).newState
}
function hasPath(made: Commit): boolean {
  const message = messageOf(made)
  if (message.wireformat !== 'mls_public_message' || message.publicMessage.content.contentType !== 'commit') {
    throw new Error('only a public commit shows its path')
  }
  return message.publicMessage.content.commit.path !== undefined
}
const settingsProposal = (text: string): Proposal => ({
  proposalType: 'group_context_extensions',
  groupContextExtensions: { extensions: [{ extensionType: EXTENSION_TYPE, extensionData: utf8(text) }] },
})

describe('fault 1: unmerged leaves on join', () => {
  /** Leaf 7 is unmerged below node 11 and merged again in the root: ordinary after an update from the other half. */
  async function historyWithUnmergedLeaf() {
    const members = await plainGroup('0', '1', '2', '3', '4', '5', '6')
    const byFour = await commit(members[4] as ClientState)
    const seven = await plainPackage('7')
    const added = await commit(await apply(byFour, members[0] as ClientState), [addOf(seven)])
    return commit(added.newState)
  }
  it('[MLS-8.1] lets a member join after ordinary history', async () => {
    const eight = await plainPackage('8')
    const made = await commit((await historyWithUnmergedLeaf()).newState, [addOf(eight)])
    expect(authenticator(await join(made.welcome, eight))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.1] refuses an unmerged leaf that is blank, stands elsewhere in the tree, or is listed twice', async () => {
    const { newState } = await historyWithUnmergedLeaf()
    const { ratchetTree, groupContext, clientConfig } = newState
    const validateWith = (unmergedLeaves: number[]) => {
      const tree = ratchetTree.map((node, index) =>
        index === 11 && node?.nodeType === 'parent' ? { ...node, parent: { ...node.parent, unmergedLeaves } } : node,
      )
      const { lifetimeConfig, authService } = clientConfig
      return validateRatchetTree(tree, groupContext, lifetimeConfig, authService, groupContext.treeHash, cipherSuite)
    }
    expect(await validateWith([7])).toBeUndefined()
    expect((await validateWith([0]))?.message).toMatch(/not represent a descendant/)
    expect((await validateWith([8]))?.message).toMatch(/not represent a non-blank leaf/)
    expect((await validateWith([7, 7]))?.message).toMatch(/increasing order/)
  })
})

describe('fault 2: an index outside the tree', () => {
  it('[MLS-8.2] is refused instead of climbing for ever', () => {
    for (const index of [15, 2000, 0xffff_ffff, 2 * 0xffff_ffff, -1, Number.NaN]) {
      expect(() => directPath(toNodeIndex(index), 8)).toThrow(/outside the tree/)
    }
    expect(directPath(toNodeIndex(14), 8)).toEqual([13, 11, 7])
  })
  it('[MLS-8.2] a hostile Welcome is refused and does not hang the joiner', async () => {
    const worker = new Worker(new URL('./hostile-welcome.worker.ts', import.meta.url))
    // Both may be there before anybody has looked at the first: each is listened for from the beginning.
    const told = on(worker, 'message', { signal: AbortSignal.timeout(120_000) })
    try {
      expect(await told.next()).toMatchObject({ value: [{ kind: 'joining' }] })
      expect(await told.next()).toMatchObject({ value: [{ kind: 'refused', name: 'ValidationError' }] })
    } finally {
      await worker.terminate()
    }
  })
})

describe('fault 3: add and remove in one commit', () => {
  it('[MLS-8.3] tells the removed member that it is removed', async () => {
    const [alice, bob, carol] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState, ClientState]
    const dave = await plainPackage('dave')
    const made = await commit(alice, [removeOf(2), addOf(dave)])
    expect((await apply(made, carol)).groupActiveState.kind).toBe('removedFromGroup')
    expect(authenticator(await apply(made, bob))).toBe(authenticator(made.newState))
    expect(authenticator(await join(made.welcome, dave))).toBe(authenticator(made.newState))
  })
})

describe('fault 4: which commits need a path', () => {
  const inPublic = { wireAsPublicMessage: true }
  it.each<[string, Proposal]>([
    ['new group settings', settingsProposal('new name')],
    ['a custom proposal', { proposalType: CUSTOM_PROPOSAL_TYPE, proposalData: utf8('x') }],
  ])('[MLS-8.4] %s: carries one, and receivers agree', async (_name, proposal) => {
    const [alice, bob] = (await plainGroup('alice', 'bob')) as [ClientState, ClientState]
    const made = await commit(alice, [proposal], inPublic)
    expect(hasPath(made)).toBe(true)
    expect(authenticator(await apply(made, bob))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.4] settings together with a removal are readable by the rest', async () => {
    const [alice, bob] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState]
    const made = await commit(alice, [settingsProposal('new name'), removeOf(2)])
    expect(authenticator(await apply(made, bob))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.4] an add alone needs none', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    expect(hasPath(await commit(alice, [addOf(await plainPackage('carol'))], inPublic))).toBe(false)
  })
})

describe('fault 5: pre-shared keys', () => {
  it('[MLS-8.5] processMessage finds the key of a private commit', async () => {
    const [alice, bob] = (await plainGroup('alice', 'bob')) as [ClientState, ClientState]
    const pskId = utf8('psk')
    const indexOf = (state: ClientState) => makePskIndex(state, { [bytesToBase64(pskId)]: new Uint8Array(32).fill(7) })
    const preSharedKeyId = { psktype: 'external', pskId, pskNonce: cipherSuite.rng.randomBytes(32) } as const
    const made = await createCommit(
      { state: alice, cipherSuite, pskIndex: indexOf(alice) },
      { extraProposals: [{ proposalType: 'psk', psk: { preSharedKeyId } }] },
    )
    const applied = await processMessage(messageOf(made), bob, indexOf(bob), acceptAll, cipherSuite)
    expect(authenticator(applied.newState)).toBe(authenticator(made.newState))
  })
})

describe('fault 6: keys of somebody else', () => {
  async function leaves() {
    const [alice] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState]
    const [own, other] = [alice.ratchetTree[0], alice.ratchetTree[2]]
    if (own?.nodeType !== 'leaf' || other?.nodeType !== 'leaf') throw new Error('no leaf')
    return { alice, own: own.leaf, other: other.leaf }
  }
  it('[MLS-8.6] a leaf that shows the key of another one is refused, new or replaced', async () => {
    const { alice, own, other } = await leaves()
    const refusal = async (
      change: { hpkePublicKey?: Uint8Array; signaturePublicKey?: Uint8Array },
      replaced?: number,
    ) => (await validateLeafNodeCredentialAndKeyUniqueness(alice.ratchetTree, { ...own, ...change }, replaced))?.message
    const fresh = { hpkePublicKey: cipherSuite.rng.randomBytes(32) }
    expect(await refusal(fresh, 0)).toBeUndefined()
    for (const replaced of [0, undefined] as const) {
      expect(await refusal({ hpkePublicKey: other.hpkePublicKey }, replaced)).toMatch(/hpke keys not unique/)
      const { signaturePublicKey } = other
      expect(await refusal({ ...fresh, signaturePublicKey }, replaced)).toMatch(/signature keys not unique/)
    }
  })
  it('[MLS-8.6] two who are added together with one key are refused', async () => {
    const { alice } = await leaves()
    const keyPair = await cipherSuite.hpke.generateKeyPair()
    // The second of the two key pairs that a key package has.
    const twin = async (name: string) => {
      let made = 0
      const generateKeyPair = async () => (++made === 2 ? keyPair : cipherSuite.hpke.generateKeyPair())
      return plainPackage(name, { ...cipherSuite, hpke: { ...cipherSuite.hpke, generateKeyPair } })
    }
    const [dave, erin] = [await twin('dave'), await twin('erin')]
    await expect(commit(alice, [addOf(dave)])).resolves.toBeDefined()
    await expect(commit(alice, [addOf(dave), addOf(erin)])).rejects.toThrow(/hpke keys not unique/)
  })
  it('[MLS-8.6] a member can be removed and added again with the device key it had', async () => {
    const names = ['alice', 'bob'] as const
    const [alice, bob] = (await plainGroup(...names)) as [ClientState, ClientState]
    const leaf = bob.ratchetTree[2]
    if (leaf?.nodeType !== 'leaf') throw new Error('no leaf')
    const keygen = async () => ({ publicKey: leaf.leaf.signaturePublicKey, signKey: bob.signaturePrivateKey })
    const again = await plainPackage('bob', { ...cipherSuite, signature: { ...cipherSuite.signature, keygen } })
    const made = await commit(alice, [removeOf(1), addOf(again)])
    expect(authenticator(await join(made.welcome, again))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.6] a path whose key stands on a leaf, or twice in it, is refused', async () => {
    const { alice, own, other } = await leaves()
    const hpkePublicKey = cipherSuite.rng.randomBytes(32)
    const parentHash = new Uint8Array(0)
    const leafNode = { ...own, hpkePublicKey, leafNodeSource: 'commit' as const, parentHash, extensions: [] }
    const pathOf = (...keys: Uint8Array[]) => ({
      leafNode,
      nodes: keys.map(key => ({ hpkePublicKey: key, encryptedPathSecret: [] })),
    })
    const fresh = cipherSuite.rng.randomBytes(32)
    for (const path of [pathOf(other.hpkePublicKey, fresh), pathOf(fresh, fresh), pathOf(fresh, hpkePublicKey)])
      await expect(applyUpdatePath(alice.ratchetTree, toLeafIndex(0), path, cipherSuite.hash)).rejects.toThrow(
        /may not appear in a node/,
      )
  })
})

describe('fault 7: a path that leaves somebody out', () => {
  it('[MLS-8.7] is refused by all, and not only by who got no secret', async () => {
    const [alice, bob, carol] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState, ClientState]
    const made = messageOf(await commit(alice, [], { wireAsPublicMessage: true }))
    if (made.wireformat !== 'mls_public_message') throw new Error('not public')
    const { content, auth } = made.publicMessage
    if (content.contentType !== 'commit' || content.commit.path === undefined) throw new Error('no path')
    const [below, ...above] = content.commit.path.nodes
    if (below === undefined) throw new Error('no node')
    const nodes = [{ ...below, encryptedPathSecret: [] }, ...above]
    const changed = { ...content, commit: { ...content.commit, path: { ...content.commit.path, nodes } } }
    for (const reader of [bob, carol]) {
      const authenticated = { wireformat: 'mls_public_message', content: changed, auth } as const
      await expect(
        processCommit(reader, authenticated, 'mls_public_message', emptyPskIndex, acceptAll, cipherSuite),
      ).rejects.toThrow(/one secret for each receiver/)
    }
  })
})

describe('what the pinned version must never lose', () => {
  it('[MLS-8.9] a removed member cannot read on, even if it goes on with the commit it saw', async () => {
    const [alice, bob, carol] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState, ClientState]
    const made = await commit(alice, [removeOf(1)])
    const { privateMessage } = await createApplicationMessage(made.newState, utf8('without bob'), cipherSuite)
    const read = (state: ClientState) => processPrivateMessage(state, privateMessage, emptyPskIndex, cipherSuite)
    expect(await read(await apply(made, carol))).toMatchObject({ message: utf8('without bob') })
    await expect(apply(made, bob).then(read)).rejects.toThrow()
    await expect(read(bob)).rejects.toThrow()
  })
  it('[MLS-8.8] lifetimes are checked by the clock that is passed in', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    const lifetimeConfig = { ...alice.clientConfig.lifetimeConfig, nowSec: () => 2 ** 63 }
    const late = { ...alice, clientConfig: { ...alice.clientConfig, lifetimeConfig } }
    await expect(commit(late, [addOf(await plainPackage('carol'))])).rejects.toThrow(/Lifetime/)
  })
})
