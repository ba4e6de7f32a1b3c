// The faults of ts-mls 1.6.4 that patches/ts-mls+1.6.4.patch repairs: each test fails without the patch.
import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  acceptAll,
  type ClientState,
  createApplicationMessage,
  emptyPskIndex,
  type Proposal,
  processMessage,
  processPrivateMessage,
} from 'ts-mls'
import { validateRatchetTree } from 'ts-mls/clientState.js'
import { initializeEpoch } from 'ts-mls/keySchedule.js'
import { directPath, toNodeIndex } from 'ts-mls/treemath.js'
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
  it('[MLS-8.1] lets members join where a node lists more unmerged leaves than one below it', async () => {
    const members = await plainGroup('0', '1', '2', '3', '4', '5', '6')
    const removal = await commit(members[0] as ClientState, [removeOf(3)])
    const byFour = await commit(await apply(removal, members[4] as ClientState))
    // They take the leaves 3 and 7: the root lists both, node 11 only the second.
    const [three, seven] = [await plainPackage('new 3'), await plainPackage('7')]
    const made = await commit(byFour.newState, [addOf(three), addOf(seven)])
    expect(made.newState.ratchetTree[7]).toMatchObject({ parent: { unmergedLeaves: [3, 7] } })
    expect(made.newState.ratchetTree[11]).toMatchObject({ parent: { unmergedLeaves: [7] } })
    for (const keys of [three, seven])
      expect(authenticator(await join(made.welcome, keys))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.1] refuses an unmerged leaf that is blank, stands elsewhere in the tree, or is listed twice', async () => {
    const { newState } = await historyWithUnmergedLeaf()
    const { ratchetTree, groupContext, clientConfig } = newState
    const validateWith = (unmergedLeaves: number[], blank: number[] = []) => {
      const tree = ratchetTree.map((node, index) => {
        if (blank.includes(index)) return undefined
        const isChanged = index === 11 && node?.nodeType === 'parent'
        return isChanged ? { ...node, parent: { ...node.parent, unmergedLeaves } } : node
      })
      const { lifetimeConfig, authService } = clientConfig
      return validateRatchetTree(tree, groupContext, lifetimeConfig, authService, groupContext.treeHash, cipherSuite)
    }
    expect(await validateWith([7])).toBeUndefined()
    expect((await validateWith([0]))?.message).toMatch(/non-blank descendant/)
    expect((await validateWith([7], [14]))?.message).toMatch(/non-blank descendant/)
    expect((await validateWith([7, 7]))?.message).toMatch(/increasing order/)
    await expect(validateWith([8])).rejects.toThrow(/outside the tree/)
  })
})

describe('fault 2: an index outside the tree', () => {
  it('[MLS-8.2] is refused instead of climbing for ever', () => {
    for (const index of [15, 2000, 0xffff_ffff, 2 * 0xffff_ffff, -1, Number.NaN]) {
      expect(() => directPath(toNodeIndex(index), 8)).toThrow(/outside the tree/)
    }
    expect(directPath(toNodeIndex(14), 8)).toEqual([13, 11, 7])
  })
  it('[MLS-8.2] the last leaf of a full tree is inside it', async () => {
    const members = await plainGroup('0', '1', '2', '3')
    const made = await commit(members[3] as ClientState)
    expect(authenticator(await apply(made, members[0] as ClientState))).toBe(authenticator(made.newState))
  })
  it('[MLS-8.2] a hostile Welcome is refused and does not hang the joiner', async () => {
    const worker = new Worker(new URL('./hostile-welcome.worker.ts', import.meta.url))
    // Both may arrive before anybody has read the first: listeners for both are attached from the beginning.
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

describe('fault 6: keys of newcomers', () => {
  it('[MLS-8.6] two who are added together with one key are refused', async () => {
    const [alice] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState]
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
})

describe('fault 8: the secret of a commit', () => {
  const { kdf } = cipherSuite
  const zeroes = new Uint8Array(kdf.size)
  const leadsTo = async (secret: Uint8Array, before: ClientState, after: ClientState) => {
    const { initSecret } = before.keySchedule
    const { keySchedule } = await initializeEpoch(initSecret, secret, after.groupContext, zeroes, kdf)
    return hex(keySchedule.epochAuthenticator) === authenticator(after)
  }
  it('[MLS-8.10] is fresh also when nobody else is left', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    const removal = await commit(alice, [removeOf(1)])
    expect(await leadsTo(zeroes, alice, removal.newState)).toBe(false)
    const update = await commit(removal.newState)
    expect(await leadsTo(zeroes, removal.newState, update.newState)).toBe(false)
  })
  it('[MLS-8.12] follows from the last node of the path, also below the root; only where the config says so, it is the former one', async () => {
    const [, , carol, dave] = (await plainGroup('0', '1', '2', '3')) as [never, never, ClientState, ClientState]
    const former = (state: ClientState): ClientState => {
      const clientConfig = { ...state.clientConfig, hasFormerCommitSecret: () => true }
      return { ...state, clientConfig }
    }
    const [exact, old] = [await commit(carol, [removeOf(0), removeOf(1)]), await commit(former(carol), [removeOf(0)])]
    expect(authenticator(await apply(exact, dave))).toBe(authenticator(exact.newState))
    await expect(apply(exact, former(dave))).rejects.toThrow(/confirmation tag/)
    // With bob still in the left half the path reaches the root, and both are the same.
    expect(authenticator(await apply(old, dave))).toBe(authenticator(old.newState))
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
  it('[MLS-2.8] the secrets of old epochs are given up, of leaves that spoke and of those that did not', async () => {
    let [alice, bob] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState]
    const { retainKeysForEpochs } = bob.clientConfig.keyRetentionConfig
    for (let epoch = 0; epoch <= retainKeysForEpochs + 1; epoch++) {
      const made = await commit(alice)
      ;[alice, bob] = [made.newState, await apply(made, bob)]
    }
    for (const { historicalReceiverData } of [alice, bob]) expect(historicalReceiverData.size).toBe(retainKeysForEpochs)
  })
  it('[MLS-2.1] texts of several members in one epoch are read', async () => {
    const members = await plainGroup('alice', 'bob', 'carol')
    let carol = members[2] as ClientState
    for (const sender of members.slice(0, 2)) {
      const { privateMessage } = await createApplicationMessage(sender, utf8('hello'), cipherSuite)
      const read = await processPrivateMessage(carol, privateMessage, emptyPskIndex, cipherSuite)
      expect(read).toMatchObject({ message: utf8('hello') })
      carol = read.newState
    }
  })
  it('[MLS-8.8] lifetimes are checked by the clock that is passed in', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    const lifetimeConfig = { ...alice.clientConfig.lifetimeConfig, nowSec: () => 2 ** 63 }
    const late = { ...alice, clientConfig: { ...alice.clientConfig, lifetimeConfig } }
    await expect(commit(late, [addOf(await plainPackage('carol'))])).rejects.toThrow(/Lifetime/)
  })
})
