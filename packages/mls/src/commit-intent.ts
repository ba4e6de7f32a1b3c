// A commit of our own, made from what is wanted. It becomes true only when the relay has accepted it.
import type { AccountId } from '@postern/protocol'
import type { KeyPackage, Proposal } from 'ts-mls'
import { createCommit } from 'ts-mls/createCommit.js'
import { encodeMlsMessage } from 'ts-mls/message.js'
import { consumeRatchet } from 'ts-mls/secretTree.js'
import { encodeFarewells, type Farewell } from './farewell.ts'
import { checkedChange, SETTINGS_BYTES_MAX, withoutOldKeys } from './group-rules.ts'
import { assertMember, type GroupSession, rosterOf } from './group-session.ts'
import { assertAddable, assertGenuine, decodeKeyPackage, ownerOf, SETTINGS_EXTENSION } from './key-package.ts'
import { MlsError } from './mls-error.ts'

/** Nothing wanted is an update: fresh keys for our leaf. */
export interface CommitIntent {
  /** With the account that is meant: a relay must not be able to hand out somebody else's key package. */
  add?: readonly { accountId: AccountId; keyPackage: Uint8Array }[]
  removeLeaves?: readonly number[]
  /** Of those who are removed because they have left: the proof that goes with it. */
  farewells?: readonly Farewell[]
  settings?: Uint8Array
}

export interface MadeCommit {
  /** To go on with once the relay has accepted the commit; until then the session before it stays in force. */
  session: GroupSession
  wire: Uint8Array
  /** For all who are added, with the tree inside. */
  welcome?: Uint8Array
}

export async function commitIntent(session: GroupSession, intent: CommitIntent): Promise<MadeCommit> {
  assertMember(session)
  const { context, state } = session
  const { cipherSuite } = context.provider
  const { add = [], removeLeaves = [], farewells = [], settings } = intent
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
    ...(settings === undefined ? [] : [settingsProposal(settings)]),
  ]
  const options = {
    extraProposals,
    ratchetTreeExtension: joiners.length > 0,
    authenticatedData: encodeFarewells(farewells),
  }
  const made = await createCommit({ state, cipherSuite }, options).catch(async (cause: unknown) => {
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

/** Asked before ts-mls refuses it in other words, so that a caller can tell it from a bad key package. */
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

function settingsProposal(settings: Uint8Array): Proposal {
  if (settings.length > SETTINGS_BYTES_MAX) throw new RangeError(`settings have at most ${SETTINGS_BYTES_MAX} bytes`)
  const extensions = [{ extensionType: SETTINGS_EXTENSION, extensionData: settings.slice() }]
  return { proposalType: 'group_context_extensions', groupContextExtensions: { extensions } }
}

/**
 * Two commits made from one session would be encrypted with the same key. Whoever makes another one in the same epoch,
 * after the first was refused or lost, makes it from the session that this gives.
 */
export async function burnHandshakeGeneration(session: GroupSession): Promise<GroupSession> {
  const { context, state } = session
  const ownNode = 2 * state.privatePath.leafIndex
  const { newTree } = await consumeRatchet(state.secretTree, ownNode, 'commit', context.provider.cipherSuite)
  return { context, state: { ...state, secretTree: newTree } }
}
