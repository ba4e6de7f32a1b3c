// A commit of another member: applied only if all it does is what our clients do. Every refusal after its signature was
// verified happens at every member alike, and names the committer.
import { type AccountId, equalBytes } from '@postern/protocol'
import type { ClientState, PrivateMessage } from 'ts-mls'
import { acceptAll } from 'ts-mls/incomingMessageAction.js'
import { unprotectPrivateMessage } from 'ts-mls/messageProtection.js'
import { CodecError, CryptoVerificationError, ValidationError } from 'ts-mls/mlsError.js'
import { processPrivateMessage } from 'ts-mls/processMessages.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { toLeafIndex } from 'ts-mls/treemath.js'
import { applyUpdatePath } from 'ts-mls/updatePath.js'
import { inspectingSuite } from '../crypto/inspecting-suite.ts'
import { MlsError } from '../mls-error.ts'
import { inspectCommit } from '../wire/inspect.ts'
import { withHandshakeReach } from './client-config.ts'
import { type AddedMember, changesOf, type ProposedChanges, type RemovedMember } from './commit-changes.ts'
import { type Roster, roster } from './credentials.ts'
import { decodeFarewells, isFarewell } from './farewell.ts'
import { assertPathKeys, checkedChange, withoutOldKeys } from './group-rules.ts'
import type { MlsContext } from './mls-context.ts'
import { assertPathSecrets } from './tree-rules.ts'

export interface AppliedCommit {
  committer: AccountId
  committerLeaf: number
  /** We were removed: the session has ended, and the other fields describe the group that continues without us. */
  removedSelf: boolean
  /** With `removedSelf`: the same commit adds us again, and a welcome follows. */
  readdedSelf: boolean
  added: (AddedMember & { leaf: number })[]
  removed: RemovedMember[]
  addedLeaves: number[]
  removedLeaves: number[]
  /** The removed members that it proves to have left. */
  farewells: AccountId[]
  /** After the commit. */
  settings: Uint8Array
  /** Members whose device has another signature key afterwards: on the same leaf, or removed and added again. */
  changedKeys: AccountId[]
}

type Applied = AppliedCommit & { state: ClientState }
type Commit = Awaited<ReturnType<typeof authenticatedCommit>>

export async function applyCommit(context: MlsContext, before: ClientState, message: PrivateMessage): Promise<Applied> {
  const commit = await authenticatedCommit(context, before, message)
  const committer = roster(context.provider, before).get(commit.committerLeaf)?.accountId
  if (committer === undefined) throw new Error('a commit was verified by the key of an empty leaf')
  if (commit.committerLeaf === before.privatePath.leafIndex) {
    throw new MlsError('mls-own-message', 'We made this commit ourselves.')
  }
  try {
    return await judgedCommit(context, before, { ...commit, committer })
  } catch (cause) {
    throw blamed(committer, cause)
  }
}

/** Decrypted, and signed by the device key of a leaf of this very epoch: the signature covers the group's context. */
async function authenticatedCommit({ provider }: MlsContext, state: ClientState, message: PrivateMessage) {
  const { keySchedule, secretTree, ratchetTree, groupContext, clientConfig } = withHandshakeReach(state)
  const { content } = await unprotectPrivateMessage(
    keySchedule.senderDataSecret,
    message,
    secretTree,
    ratchetTree,
    groupContext,
    clientConfig.keyRetentionConfig,
    inspectingSuite(provider.cipherSuite, message.ciphertext, inspectCommit),
  )
  const { content: framed } = content
  if (framed.contentType !== 'commit' || framed.sender.senderType !== 'member') {
    throw new Error('a commit was read as something else')
  }
  const { authenticatedData } = framed
  return { message, authenticatedData, committerLeaf: framed.sender.leafIndex, ...framed.commit }
}

type Judged = Commit & { committer: AccountId }

async function judgedCommit(context: MlsContext, before: ClientState, judged: Judged): Promise<Applied> {
  const { committer, committerLeaf, path } = judged
  const changes = changesOf(context, before, judged.proposals)
  const { addedLeafNodes } = changes
  const removedLeaves = changes.removed.map(({ leaf }) => leaf)
  if (path !== undefined) assertPathSecrets(before, { committerLeaf, removedLeaves, addedLeafNodes, path })
  const after = await followed(context, before, { ...judged, changes })
  const removedSelf = after.groupActiveState.kind !== 'active'
  const { addedLeaves } = checkedChange(context, { before, after }, removedLeaves)
  if (!removedSelf) assertPathKeys(context, after, before)
  const members = { before: roster(context.provider, before), after: roster(context.provider, after) }
  const own = members.before.get(before.privatePath.leafIndex)?.accountId
  return {
    committer,
    committerLeaf,
    removedSelf,
    readdedSelf: removedSelf && changes.added.some(({ accountId }) => accountId === own),
    added: withLeaves(changes.added, members.after),
    removed: changes.removed,
    addedLeaves,
    removedLeaves,
    farewells: await provenFarewells(context, before, { changes, data: judged.authenticatedData }),
    settings: changes.settings,
    changedKeys: changedKeys(members),
    state: after,
  }
}

/** The group after the commit. A member that it removes sees only the public part: the tree, not the secrets. */
async function followed(
  { provider }: MlsContext,
  before: ClientState,
  { message, path, committerLeaf, changes }: Judged & { changes: ProposedChanges },
): Promise<ClientState> {
  const { cipherSuite } = provider
  // The library has no entry point after the decryption: it decrypts and verifies the same bytes again.
  const reaching = withHandshakeReach(before)
  const { newState } = await processPrivateMessage(reaching, message, emptyPskIndex, cipherSuite, acceptAll)
  const next = withoutOldKeys({ ...newState, clientConfig: before.clientConfig })
  const removedSelf = changes.removed.some(({ leaf }) => leaf === before.privatePath.leafIndex)
  if (removedSelf !== (next.groupActiveState.kind !== 'active')) throw new Error('ts-mls missed our own removal')
  if (!removedSelf || path === undefined) return next
  const ratchetTree = await applyUpdatePath(next.ratchetTree, toLeafIndex(committerLeaf), path, cipherSuite.hash)
  return { ...next, ratchetTree }
}

/** At most as many as it removes are checked. */
async function provenFarewells(
  context: MlsContext,
  before: ClientState,
  { changes, data }: { changes: ProposedChanges; data: Uint8Array },
): Promise<AccountId[]> {
  const removed = new Map(changes.removed.map(({ leaf, accountId }) => [leaf, accountId]))
  const proven: AccountId[] = []
  for (const farewell of decodeFarewells(data)) {
    const account = removed.get(farewell.leaf)
    // Each once: repeating the same one would cost a signature each time.
    if (account === undefined || !removed.delete(farewell.leaf)) continue
    if (await isFarewell(context, before, farewell)) proven.push(account)
  }
  return proven
}

function withLeaves(added: readonly AddedMember[], after: Roster): AppliedCommit['added'] {
  const leaves = new Map([...after].map(([leaf, { accountId }]) => [accountId, leaf]))
  return added.map(member => {
    const leaf = leaves.get(member.accountId)
    if (leaf === undefined) throw new MlsError('mls-forbidden', `${member.accountId} was added and is on no leaf.`)
    return { ...member, leaf }
  })
}

function changedKeys(members: { before: Roster; after: Roster }): AccountId[] {
  const known = new Map([...members.before.values()].map(member => [member.accountId, member.devicePublicKey]))
  return [...members.after.values()]
    .filter(({ accountId, devicePublicKey }) => {
      const before = known.get(accountId)
      return before !== undefined && !equalBytes(before, devicePublicKey)
    })
    .map(({ accountId }) => accountId)
}

/**
 * The confirmation tag is under no signature: another member could attach a wrong one to a commit that the committer
 * did make, and have it blamed. The rest is signed. If only this member cannot decrypt something, no other member can
 * judge it.
 */
function blamed(committer: AccountId, cause: unknown): MlsError {
  if (cause instanceof MlsError) {
    const code = cause.code === 'mls-undecryptable' ? cause.code : 'mls-forbidden'
    return new MlsError(code, cause.message, { cause, committer })
  }
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (reason === WRONG_TAG) {
    return new MlsError('mls-undecryptable', 'The confirmation tag of the commit is wrong.', { cause })
  }
  if (isRuleOfMls(cause))
    return new MlsError('mls-forbidden', `The commit breaks MLS: ${reason}.`, { cause, committer })
  return new MlsError('mls-undecryptable', 'The commit cannot be followed.', { cause, committer })
}

const WRONG_TAG = 'Could not verify confirmation tag'

/** Faults that ts-mls finds in what all members see. Its other errors are about keys and about itself. */
const isRuleOfMls = (cause: unknown): boolean =>
  cause instanceof ValidationError || cause instanceof CryptoVerificationError || cause instanceof CodecError
