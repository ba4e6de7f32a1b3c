// The capabilities that our clients write on their leaves. They tell members which derivations the others follow.
import type { Capabilities, ClientState } from 'ts-mls'
import { MLS_SUITE } from '../crypto/provider.ts'

type RatchetTree = ClientState['ratchetTree']

/** Our group settings travel in one GroupContext extension of this type (private range of RFC 9420 §17.3). */
export const SETTINGS_EXTENSION = 0xf0a1

/**
 * No group carries this extension. A leaf that lists it belongs to a client that derives the secret of every commit as
 * RFC 9420 §12.4.1 says. Clients up to 0.2 derived two of them otherwise, and do not list it.
 */
export const EXACT_SECRETS = 0xf0a2

export const capabilities: Capabilities = {
  versions: ['mls10'],
  ciphersuites: [MLS_SUITE],
  extensions: [SETTINGS_EXTENSION, EXACT_SECRETS],
  proposals: [],
  credentials: ['basic'],
}

/**
 * Whether the tree has a member whose client may derive one step too many where a path ends below the root: then all do.
 * Every member sees the same tree, so all decide alike, and a group changes over when the last such leaf is replaced.
 */
export const hasFormerMember = (tree: RatchetTree): boolean => tree.some(node => isLeafOf(node, isFormer))

/**
 * Whether members that were removed may know the keys of the epoch. A client up to 0.2 that was left alone committed
 * without a fresh secret, and no path has brought one since: any path of two members leaves a parent in the tree.
 */
export function hasGuessableSecret({ ratchetTree }: Pick<ClientState, 'ratchetTree'>): boolean {
  if (ratchetTree.some(node => node?.nodeType === 'parent')) return false
  return ratchetTree.some(node => isLeafOf(node, leaf => leaf.leafNodeSource === 'commit' && isFormer(leaf)))
}

type Leaf = Extract<NonNullable<RatchetTree[number]>, { nodeType: 'leaf' }>['leaf']

const isFormer = (leaf: Leaf): boolean => !leaf.capabilities.extensions.includes(EXACT_SECRETS)

const isLeafOf = (node: RatchetTree[number], isWanted: (leaf: Leaf) => boolean): boolean =>
  node?.nodeType === 'leaf' && isWanted(node.leaf)
