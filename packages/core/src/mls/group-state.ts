// A group's state as rows: the epoch once per epoch, then only the ratchet that a message moved.
import { copyBytes } from '@postern/protocol'
import type { ClientConfig, ClientState } from 'ts-mls'
import { decodeGroupState, encodeGroupState } from 'ts-mls/clientState.js'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { decodeSecretTreeNode, type SecretTree, type SecretTreeNode, secretTreeNodeEncoder } from 'ts-mls/secretTree.js'
import { MlsError } from './mls-error.ts'

const EPOCH_FORMAT = 1
const EPOCH_NUMBER_BYTES = 8

const encodeNode = encode(secretTreeNodeEncoder)
const unusedRatchet = { secret: new Uint8Array(0), generation: 0, unusedGenerations: {} }
/** ts-mls makes ratchets for parent nodes too; nobody ever uses them, and they are half of the state. */
const unusedNode: SecretTreeNode = { handshake: unusedRatchet, application: unusedRatchet }

const withoutParents = (tree: SecretTree): SecretTree =>
  tree.map((node, index) => (index % 2 === 0 ? node : unusedNode))

/**
 * All but the rows below. Past epochs are left out: the relay's log is read in order, so nobody needs their keys.
 * The client's config is code, not state.
 */
export function encodeEpoch(state: ClientState): Uint8Array {
  const blob = encodeGroupState({
    ...state,
    secretTree: withoutParents(state.secretTree),
    historicalReceiverData: new Map(),
    unappliedProposals: {},
  })
  const versioned = new Uint8Array(blob.length + 1)
  versioned[0] = EPOCH_FORMAT
  versioned.set(blob, 1)
  return versioned
}

/** One leaf's ratchets, marked with their epoch: a row left over from another one must not be mixed in. */
export function encodeRatchet(state: ClientState, leafNodeIndex: number): Uint8Array {
  const node = state.secretTree[leafNodeIndex]
  if (node === undefined || leafNodeIndex % 2 !== 0)
    throw new RangeError(`node ${leafNodeIndex} is no leaf of the tree`)
  const encoded = encodeNode(node)
  const row = new Uint8Array(EPOCH_NUMBER_BYTES + encoded.length)
  new DataView(row.buffer).setBigUint64(0, state.groupContext.epoch)
  row.set(encoded, EPOCH_NUMBER_BYTES)
  return row
}

/**
 * Node indexes of the leaves whose ratchet moved between two states of one epoch. ts-mls shares what it did not touch,
 * so a comparison of references finds them.
 */
export function changedRatchets(before: ClientState, after: ClientState): number[] {
  const changed: number[] = []
  if (before.secretTree === after.secretTree) return changed
  for (let index = 0; index < after.secretTree.length; index += 2) {
    if (before.secretTree[index] !== after.secretTree[index]) changed.push(index)
  }
  return changed
}

export function decodeGroup(
  epochBlob: Uint8Array,
  ratchetRows: Iterable<readonly [leafNodeIndex: number, row: Uint8Array]>,
  clientConfig: ClientConfig,
): ClientState {
  // Copied first: the decoder's results are views, and the caller's buffer may be SQLite's.
  const state = decodeEpoch(copyBytes(epochBlob))
  const secretTree = state.secretTree.slice()
  for (const [index, row] of ratchetRows) {
    if (index % 2 !== 0 || secretTree[index] === undefined) throw damaged(`a ratchet stands at node ${index}`)
    secretTree[index] = decodeRatchet(copyBytes(row), state.groupContext.epoch)
  }
  return { ...state, secretTree, clientConfig }
}

function decodeEpoch(blob: Uint8Array) {
  if (blob[0] !== EPOCH_FORMAT) throw damaged(`its format is ${blob[0]}`)
  try {
    const decoded = decodeGroupState(blob.subarray(1), 0)
    if (decoded !== undefined && decoded[1] === blob.length - 1) return decoded[0]
  } catch (cause) {
    throw damaged('it ends too early', cause)
  }
  throw damaged('it does not decode')
}

function decodeRatchet(row: Uint8Array, epoch: bigint): SecretTreeNode {
  if (row.length < EPOCH_NUMBER_BYTES) throw damaged('a ratchet row is too short')
  const rowEpoch = new DataView(row.buffer).getBigUint64(0)
  if (rowEpoch !== epoch) throw damaged(`a ratchet of epoch ${rowEpoch} lies beside epoch ${epoch}`)
  try {
    const decoded = decodeSecretTreeNode(row, EPOCH_NUMBER_BYTES)
    if (decoded !== undefined && decoded[1] === row.length - EPOCH_NUMBER_BYTES) return decoded[0]
  } catch (cause) {
    throw damaged('a ratchet row ends too early', cause)
  }
  throw damaged('a ratchet row does not decode')
}

const damaged = (what: string, cause?: unknown) =>
  new MlsError('mls-malformed', `The stored group state is damaged: ${what}.`, { cause })
