// Builds our own commit from an intent. It takes effect only when the relay has accepted it.
import { type AccountId, mlsLimits } from '@postern/protocol'
import type { KeyPackage, Proposal } from 'ts-mls'
import { createCommit } from 'ts-mls/createCommit.js'
import { deriveTreeSecret } from 'ts-mls/crypto/kdf.js'
import { encodeMlsMessage } from 'ts-mls/message.js'
import { consumeRatchet } from 'ts-mls/secretTree.js'
import { MlsError } from '../mls-error.ts'
import { hasFormerMember, SETTINGS_EXTENSION } from './capabilities.ts'
import { encodeFarewells, type Farewell } from './farewell.ts'
import { checkedChange, SETTINGS_BYTES_MAX, settingsIn, withoutOldKeys } from './group-rules.ts'
import { assertMember, type GroupSession, rosterOf } from './group-session.ts'
import { assertAddable, assertGenuine, decodeKeyPackage, ownerOf } from './key-package.ts'
import { committingAs, committingWith, type DeviceIdentity } from './own-leaf.ts'
import { ratchetsOf } from './secret-rows.ts'

/** An empty intent is an update: fresh keys for our leaf. */
export interface CommitIntent {
  /** With the intended account: a relay must not be able to hand out another account's key package. */
  add?: readonly { accountId: AccountId; keyPackage: Uint8Array }[]
  removeLeaves?: readonly number[]
  /** The proofs of members that are removed because they have left. */
  farewells?: readonly Farewell[]
  settings?: Uint8Array
  /** This device as currently certified: a leaf with an older certificate, or another device, is replaced. */
  own?: DeviceIdentity
}

export interface MadeCommit {
  /**
   * The session to continue with once the relay has accepted the commit; until then the previous session stays in
   * force.
   */
  session: GroupSession
  wire: Uint8Array
  /** For all added members, with the tree inside. */
  welcome?: Uint8Array
}

export async function commitIntent(session: GroupSession, intent: CommitIntent): Promise<MadeCommit> {
  assertMember(session)
  const { context, state } = session
  const { cipherSuite } = context.provider
  const { add = [], removeLeaves = [], farewells = [], own } = intent
  const renewed = own && committingAs({ state, cipherSuite }, own)
  for (const leaf of removeLeaves) assertRemovable(session, leaf)
  assertNewAccounts(
    session,
    add.map(({ accountId }) => accountId),
    removeLeaves,
  )
  const joiners = add.map(wanted => joinerOf(session, wanted))
  const extraProposals = [
    ...removeLeaves.map((removed): Proposal => ({ proposalType: 'remove', remove: { removed } })),
    ...joiners.map((keyPackage): Proposal => ({ proposalType: 'add', add: { keyPackage } })),
    ...settingsProposals(session, intent, renewed !== undefined),
  ]
  const options = {
    extraProposals,
    ratchetTreeExtension: joiners.length > 0,
    authenticatedData: encodeFarewells(farewells),
  }
  const committing = renewed ?? { state, cipherSuite }
  const hasPath = extraProposals.length === 0 || extraProposals.some(({ proposalType }) => proposalType !== 'add')
  const from = hasPath ? committingWith(committing, context.config.capabilities) : committing
  const made = await createCommit(from, options).catch(async (cause: unknown) => {
    for (const joiner of joiners) await assertGenuine(context, joiner)
    throw new MlsError('mls-forbidden', 'The commit cannot be made.', { cause })
  })
  const next = withoutOldKeys(made.newState)
  checkedChange(context, { before: state, after: next }, removeLeaves)
  const result = { session: { context, state: next }, wire: encodeMlsMessage(made.commit) }
  if (made.welcome === undefined) return result
  const welcome = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: made.welcome })
  return { ...result, welcome }
}

function assertRemovable({ state }: GroupSession, leaf: number): void {
  const isMember = state.ratchetTree[2 * leaf]?.nodeType === 'leaf'
  if (isMember && leaf !== state.privatePath.leafIndex) return
  throw new MlsError('mls-forbidden', `Leaf ${leaf} cannot be removed: it is empty, or our own.`)
}

/** Checked before ts-mls refuses it with another error, so that a caller can distinguish it from a bad key package. */
function assertNewAccounts(session: GroupSession, added: readonly AccountId[], removeLeaves: readonly number[]): void {
  const present = new Set<AccountId>()
  for (const [leaf, { accountId }] of rosterOf(session)) if (!removeLeaves.includes(leaf)) present.add(accountId)
  for (const accountId of added) {
    if (present.has(accountId)) throw new MlsError('mls-duplicate-account', `${accountId} is in the group already.`)
    present.add(accountId)
  }
}

function joinerOf({ context }: GroupSession, wanted: { accountId: AccountId; keyPackage: Uint8Array }): KeyPackage {
  const keyPackage = decodeKeyPackage(wanted.keyPackage)
  assertAddable(keyPackage, context.nowSec())
  const owner = ownerOf(context, keyPackage)
  if (owner === wanted.accountId) return keyPackage
  throw new MlsError('mls-bad-key-package', `The key package for ${wanted.accountId} is one of ${owner}.`)
}

/**
 * The settings that are wanted. An add alone carries no path, so a commit that needs one sends the current settings again.
 * Without a path the leaf would not be renewed. After a member was left alone, removed members could follow such a commit
 * if they knew the keys of the epoch before.
 */
function settingsProposals(session: GroupSession, intent: CommitIntent, renewsLeaf: boolean): Proposal[] {
  const { epoch, extensions } = session.state.groupContext
  if (intent.settings !== undefined) return [settingsProposal(intent.settings)]
  // Nobody was ever removed from a group in its first epoch.
  const wasLeftAlone = epoch > 0n && rosterOf(session).size === 1
  const isOnlyAdding = (intent.add ?? []).length > 0 && (intent.removeLeaves ?? []).length === 0
  return isOnlyAdding && (renewsLeaf || wasLeftAlone) ? [settingsProposal(settingsIn(extensions))] : []
}

function settingsProposal(settings: Uint8Array): Proposal {
  if (settings.length > SETTINGS_BYTES_MAX) throw new RangeError(`settings have at most ${SETTINGS_BYTES_MAX} bytes`)
  const extensions = [{ extensionType: SETTINGS_EXTENSION, extensionData: settings.slice() }]
  return { proposalType: 'group_context_extensions', groupContextExtensions: { extensions } }
}

/**
 * Two commits made from one session would be encrypted with the same key. To make another one in the same epoch, after
 * the first was refused or lost, continue with the returned session.
 */
export async function burnHandshakeGeneration(session: GroupSession): Promise<GroupSession> {
  const { context, state } = session
  const ownNode = 2 * state.privatePath.leafIndex
  const { newTree } = await consumeRatchet(state.secretTree, ownNode, 'commit', context.provider.cipherSuite)
  return { context, state: { ...state, secretTree: newTree } }
}

/**
 * For a session that may be a copy, whose next handshake keys the other copy may have used: passes over a number of them
 * that is drawn at random. The others can follow a commit over all that is skipped here.
 */
export async function skipHandshakeGenerations(session: GroupSession): Promise<GroupSession> {
  const { context, state } = session
  const { kdf } = context.provider.cipherSuite
  const isFormer = hasFormerMember(state.ratchetTree)
  const skippedMax = isFormer ? mlsLimits.formerSkippedKeysMax : mlsLimits.skippedKeysMax
  const { state: burnt } = await burnHandshakeGeneration(session)
  const ownNode = 2 * state.privatePath.leafIndex
  const ratchets = ratchetsOf(burnt.secretTree[ownNode])
  if (ratchets === undefined) throw new Error('a key was used of a leaf without ratchets')
  let { secret, generation } = ratchets.handshake
  if (generation > skippedMax) return session
  const [low = 0, high = 0] = context.provider.randomBytes(2)
  const end = generation + ((low + 256 * high) % skippedMax)
  for (; generation < end; generation++) secret = await deriveTreeSecret(secret, 'secret', generation, kdf.size, kdf)
  const skipped = { ...ratchets, handshake: { ...ratchets.handshake, secret, generation } }
  return { context, state: { ...burnt, secretTree: burnt.secretTree.with(ownNode, skipped) } }
}
