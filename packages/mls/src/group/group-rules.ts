// The rules for every state of our groups, whichever member caused it: checked after each commit and each join.
import { contentLimits, equalBytes, GROUP_ID_BYTES, mlsLimits } from '@postern/protocol'
import type { ClientState } from 'ts-mls'
import { MlsError } from '../mls-error.ts'
import { SETTINGS_EXTENSION } from './capabilities.ts'
import { assertContinuity, type Roster, roster } from './credentials.ts'
import type { MlsContext } from './mls-context.ts'
import { assertKeysUnique, forbidden } from './tree-rules.ts'

/** Part of every message's signature: large settings make every message slower. */
export const SETTINGS_BYTES_MAX = mlsLimits.extensionBytesMax

type Extensions = ClientState['groupContext']['extensions']

/** Our settings and nothing else: another extension would bind members to rules that they do not understand. */
export function settingsIn(extensions: Extensions): Uint8Array {
  const [settings, ...others] = extensions
  if (settings?.extensionType !== SETTINGS_EXTENSION || others.length > 0) throw forbidden('its settings are not ours')
  if (settings.extensionData.length > SETTINGS_BYTES_MAX) throw forbidden('its settings are too large')
  return settings.extensionData
}

/** Throws unless the state keeps our rules; returns its members. */
export function checkedRoster({ provider }: MlsContext, state: ClientState): Roster {
  const { groupId, epoch, extensions } = state.groupContext
  if (groupId.length !== GROUP_ID_BYTES) throw forbidden('its id has a wrong size')
  if (epoch > BigInt(Number.MAX_SAFE_INTEGER)) throw forbidden('its epoch is out of range')
  settingsIn(extensions)
  assertKeysUnique(state.ratchetTree)
  const members = roster(provider, state)
  if (members.size > contentLimits.groupMembersMax) throw forbidden('it has too many members')
  return members
}

/** Members after a commit, checked against those before it. */
export function checkedChange(
  context: MlsContext,
  { before, after }: { before: ClientState; after: ClientState },
  removedLeaves: readonly number[],
): { addedLeaves: number[] } {
  const previous = roster(context.provider, before)
  const members = checkedRoster(context, after)
  assertContinuity(previous, members, removedLeaves)
  const removed = new Set(removedLeaves)
  return { addedLeaves: [...members.keys()].filter(leaf => !previous.has(leaf) || removed.has(leaf)) }
}

/**
 * The secrets that a commit gave us must fit the public keys that it showed to all (RFC 9420 §7.6). ts-mls does not
 * check this: we would notice only when the next commit cannot be read.
 */
export function assertPathKeys({ provider }: MlsContext, after: ClientState, before?: ClientState): void {
  for (const [index, secret] of Object.entries(after.privatePath.privateKeys)) {
    const node = after.ratchetTree[Number(index)]
    if (node === undefined || before?.privatePath.privateKeys[Number(index)] === secret) continue
    const { hpkePublicKey } = node.nodeType === 'leaf' ? node.leaf : node.parent
    if (equalBytes(provider.agreementPublicKey(secret), hpkePublicKey)) continue
    throw new MlsError('mls-undecryptable', `The key of node ${index} does not belong to its secret.`)
  }
}

/** Without the keys of past epochs and of nodes that are blank now: nothing is decrypted with them any more. */
export function withoutOldKeys(state: ClientState): ClientState {
  const { privatePath, ratchetTree } = state
  const current = Object.entries(privatePath.privateKeys).filter(([index]) => ratchetTree[Number(index)] !== undefined)
  return {
    ...state,
    privatePath: { ...privatePath, privateKeys: Object.fromEntries(current) },
    historicalReceiverData: new Map(),
  }
}
