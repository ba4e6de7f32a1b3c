// One group as a member sees it: a value. Every operation takes a session and returns the next one. Nothing is changed
// in place and nothing is zeroed, so a caller whose transaction fails continues with the session that it had.
import { type AccountId, equalBytes, GROUP_ID_BYTES, type GroupId, groupIdFromBytes } from '@postern/protocol'
import type { ClientState, PrivateMessage } from 'ts-mls'
import { createGroup as mlsCreateGroup } from 'ts-mls/clientState.js'
import { createApplicationMessage } from 'ts-mls/createMessage.js'
import { mlsExporter } from 'ts-mls/keySchedule.js'
import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { processPrivateMessage } from 'ts-mls/processMessages.js'
import { emptyPskIndex } from 'ts-mls/pskIndex.js'
import { KEY_BYTES } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { hasGuessableSecret, SETTINGS_EXTENSION } from './capabilities.ts'
import { type Roster, roster } from './credentials.ts'
import { settingsIn } from './group-rules.ts'
import { decodeGroup, decodeWhole } from './group-state.ts'
import { decodeKeyPackage, decodePrivate, type StoredKeyPackage } from './key-package.ts'
import type { MlsContext } from './mls-context.ts'
import { encodePrivateMessage, readPrivateMessage } from './private-message.ts'
import { type AppliedCommit, applyCommit } from './receive-commit.ts'
import { movedLeaves, ratchetsOf, type SecretRow } from './secret-rows.ts'

export interface GroupSession {
  readonly context: MlsContext
  readonly state: ClientState
}

export type DecryptedMessage =
  | {
      kind: 'application'
      session: GroupSession
      plaintext: Uint8Array
      senderLeaf: number
      /** Messages of the same sender between the last read one and this one. */
      skipped: number
    }
  | ({ kind: 'commit'; session: GroupSession } & AppliedCommit)

/** A session from its stored rows. */
export function openSession(
  context: MlsContext,
  stored: { epochBlob: Uint8Array; secretRows: Iterable<SecretRow> },
): GroupSession {
  return { context, state: decodeGroup(stored.epochBlob, stored.secretRows, context.config) }
}

/** One that was stored in one piece. */
export const openWholeSession = (context: MlsContext, whole: Uint8Array): GroupSession => ({
  context,
  state: decodeWhole(whole, context.config),
})

/** A group of one; others are added by `commitIntent`. */
export async function createGroup(
  context: MlsContext,
  group: { groupId: Uint8Array; keyPackage: StoredKeyPackage; settings: Uint8Array },
): Promise<GroupSession> {
  if (group.groupId.length !== GROUP_ID_BYTES) throw new RangeError(`a group id has ${GROUP_ID_BYTES} bytes`)
  const state = await mlsCreateGroup(
    group.groupId.slice(),
    decodeKeyPackage(group.keyPackage.publicBytes),
    decodePrivate(group.keyPackage.privateBytes),
    [{ extensionType: SETTINGS_EXTENSION, extensionData: group.settings.slice() }],
    context.provider.cipherSuite,
    context.config,
  )
  return { context, state }
}

export async function encryptMessage(
  session: GroupSession,
  plaintext: Uint8Array,
): Promise<{ session: GroupSession; wire: Uint8Array }> {
  assertMember(session)
  const { context, state } = session
  const short = context.provider.fastPath?.seal(state, plaintext)
  if (short !== undefined) return { session: { context, state: short.state }, wire: short.wire }
  const made = await createApplicationMessage(state, plaintext, context.provider.cipherSuite)
  return { session: { context, state: made.newState }, wire: encodePrivateMessage(made.privateMessage) }
}

/** Throws an `MlsError` for everything that is not a message or commit of this group's current epoch. */
export async function decryptMessage(session: GroupSession, wire: Uint8Array): Promise<DecryptedMessage> {
  assertMember(session)
  const message = readPrivateMessage(wire)
  assertCurrent(session, message)
  try {
    return message.contentType === 'commit' ? await readCommit(session, message) : await readText(session, message)
  } catch (cause) {
    throw cause instanceof MlsError ? cause : await explained(session, message, cause)
  }
}

async function readText({ context, state }: GroupSession, message: PrivateMessage): Promise<DecryptedMessage> {
  const short = context.provider.fastPath?.open(state, message)
  if (short !== undefined) {
    const { text: plaintext, senderLeaf } = short
    return { kind: 'application', session: { context, state: short.state }, plaintext, senderLeaf, skipped: 0 }
  }
  const result = await processPrivateMessage(state, message, emptyPskIndex, context.provider.cipherSuite)
  // The moved ratchet is the sender's: ts-mls checked the signature with the key of that same leaf.
  const [senderLeaf, ...others] = movedLeaves(state, result.newState)
  if (result.kind !== 'applicationMessage' || senderLeaf === undefined || others.length > 0) {
    throw new Error('a text moved other ratchets than its sender’s')
  }
  const session = { context, state: result.newState }
  const generationOf = ({ secretTree }: ClientState) =>
    ratchetsOf(secretTree[2 * senderLeaf])?.application.generation ?? 0
  const skipped = Math.max(0, generationOf(result.newState) - generationOf(state) - 1)
  return { kind: 'application', session, plaintext: result.message.slice(), senderLeaf, skipped }
}

async function readCommit({ context, state }: GroupSession, message: PrivateMessage): Promise<DecryptedMessage> {
  const { state: next, ...applied } = await applyCommit(context, state, message)
  return { kind: 'commit', session: { context, state: next }, ...applied }
}

/** ts-mls checks neither: a member could write into another epoch or group with the keys of this one. */
function assertCurrent({ state }: GroupSession, message: PrivateMessage): void {
  const { groupId, epoch } = state.groupContext
  if (!equalBytes(groupId, message.groupId)) throw new MlsError('mls-wrong-group', 'The message is for another group.')
  if (epoch === message.epoch) return
  throw new MlsError('mls-wrong-epoch', `The message is of epoch ${message.epoch}, the group in epoch ${epoch}.`)
}

/** Only after a failure, so it may be slow: the sender decides whether anything is wrong at all. */
async function explained({ context, state }: GroupSession, message: PrivateMessage, cause: unknown): Promise<MlsError> {
  const { senderDataSecret } = state.keySchedule
  const sender = await decryptSenderData(message, senderDataSecret, context.provider.cipherSuite).catch(() => undefined)
  if (sender?.leafIndex === state.privatePath.leafIndex) {
    return new MlsError('mls-own-message', 'We wrote this ourselves.', { cause })
  }
  if (cause instanceof Error && cause.message === 'Desired gen in the past') {
    return new MlsError('mls-replayed', 'The message was read before.', { cause })
  }
  return new MlsError('mls-undecryptable', 'The message does not decrypt or verify.', { cause })
}

export function assertMember(session: GroupSession): void {
  if (!isActive(session)) throw new MlsError('mls-removed', 'We are no longer in the group.')
}

/** False once a commit has removed us. */
export const isActive = ({ state }: GroupSession): boolean => state.groupActiveState.kind === 'active'
export const rosterOf = ({ context, state }: GroupSession): Roster => roster(context.provider, state)
export const memberAccounts = (session: GroupSession): AccountId[] =>
  [...rosterOf(session).values()].map(({ accountId }) => accountId)
/** Whether it needs a commit before anything is sent in it: removed members may know its keys. */
export const isGuessable = ({ state }: GroupSession): boolean => hasGuessableSecret(state)
/** How many messages were encrypted in this epoch. */
export const ownSends = ({ state }: GroupSession): number =>
  ratchetsOf(state.secretTree[2 * state.privatePath.leafIndex])?.application.generation ?? 0
export const ownLeaf = ({ state }: GroupSession): number => state.privatePath.leafIndex
export const epoch = ({ state }: GroupSession): number => Number(state.groupContext.epoch)
export const groupId = ({ state }: GroupSession): GroupId => groupIdFromBytes(state.groupContext.groupId)
export const settingsOf = ({ state }: GroupSession): Uint8Array => settingsIn(state.groupContext.extensions).slice()
/** The same for all members of an epoch, and for nobody else. */
/** A secret that all members of this epoch derive alike, for a use of ours (RFC 9420, section 8.5). */
export const exportSecret = async (
  { context: { provider }, state }: GroupSession,
  { label, context }: { label: string; context: Uint8Array },
): Promise<Uint8Array> =>
  await mlsExporter(state.keySchedule.exporterSecret, label, context, KEY_BYTES, provider.cipherSuite)

export const epochAuthenticator = ({ state }: GroupSession): Uint8Array => state.keySchedule.epochAuthenticator.slice()
