// The faults of ts-mls 1.6.4 that patches/ts-mls+1.6.4.patch mends: each test fails without the patch.
import { once } from 'node:events'
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
import { validateRatchetTree } from 'ts-mls/clientState.js'
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
  it('lets a member join after ordinary history', async () => {
    const eight = await plainPackage('8')
    const made = await commit((await historyWithUnmergedLeaf()).newState, [addOf(eight)])
    expect(authenticator(await join(made.welcome, eight))).toBe(authenticator(made.newState))
  })
  it('refuses an unmerged leaf that is blank, stands elsewhere in the tree, or is listed twice', async () => {
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
  it('is refused instead of climbing for ever', () => {
    for (const index of [15, 2000, 0xffff_ffff, 2 * 0xffff_ffff, -1, Number.NaN]) {
      expect(() => directPath(toNodeIndex(index), 8)).toThrow(/outside the tree/)
    }
    expect(directPath(toNodeIndex(14), 8)).toEqual([13, 11, 7])
  })
  it('a hostile Welcome is refused and does not hang the joiner', async () => {
    const worker = new Worker(new URL('./hostile-welcome.worker.ts', import.meta.url))
    try {
      expect((await once(worker, 'message'))[0]).toEqual({ kind: 'joining' })
      const [outcome] = await once(worker, 'message', { signal: AbortSignal.timeout(10_000) })
      expect(outcome).toEqual({ kind: 'refused', name: 'ValidationError' })
    } finally {
      await worker.terminate()
    }
  })
})

describe('fault 3: add and remove in one commit', () => {
  it('tells the removed member that it is removed', async () => {
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
  ])('%s: carries one, and receivers agree', async (_name, proposal) => {
    const [alice, bob] = (await plainGroup('alice', 'bob')) as [ClientState, ClientState]
    const made = await commit(alice, [proposal], inPublic)
    expect(hasPath(made)).toBe(true)
    expect(authenticator(await apply(made, bob))).toBe(authenticator(made.newState))
  })
  it('settings together with a removal are readable by the rest', async () => {
    const [alice, bob] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState]
    const made = await commit(alice, [settingsProposal('new name'), removeOf(2)])
    expect(authenticator(await apply(made, bob))).toBe(authenticator(made.newState))
  })
  it('an add alone needs none', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    expect(hasPath(await commit(alice, [addOf(await plainPackage('carol'))], inPublic))).toBe(false)
  })
})

describe('fault 5: pre-shared keys', () => {
  it('processMessage finds the key of a private commit', async () => {
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

describe('what the pinned version must never lose', () => {
  it('a removed member cannot read on, even if it goes on with the commit it saw', async () => {
    const [alice, bob, carol] = (await plainGroup('alice', 'bob', 'carol')) as [ClientState, ClientState, ClientState]
    const made = await commit(alice, [removeOf(1)])
    const { privateMessage } = await createApplicationMessage(made.newState, utf8('without bob'), cipherSuite)
    const read = (state: ClientState) => processPrivateMessage(state, privateMessage, emptyPskIndex, cipherSuite)
    expect(await read(await apply(made, carol))).toMatchObject({ message: utf8('without bob') })
    await expect(apply(made, bob).then(read)).rejects.toThrow()
    await expect(read(bob)).rejects.toThrow()
  })
  it('lifetimes are checked by the clock that is passed in', async () => {
    const [alice] = (await plainGroup('alice', 'bob')) as [ClientState]
    const lifetimeConfig = { ...alice.clientConfig.lifetimeConfig, nowSec: () => 2 ** 63 }
    const late = { ...alice, clientConfig: { ...alice.clientConfig, lifetimeConfig } }
    await expect(commit(late, [addOf(await plainPackage('carol'))])).rejects.toThrow(/Lifetime/)
  })
})
