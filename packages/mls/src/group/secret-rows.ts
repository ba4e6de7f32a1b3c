// The secret tree of an epoch as rows: a secret for each subtree without a used leaf, ratchets for each used leaf. Used
// secrets have no row: the stored rows must never lead to the key of a message that was sent or read (RFC 9420 §9.2).
import { copyBytes } from '@postern/protocol'
import type { ClientState, SecretTree, SecretTreeNode } from 'ts-mls'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { decodeSecretTreeNode, secretTreeNodeEncoder } from 'ts-mls/secretTree.js'
import { KEY_BYTES } from '../crypto/provider.ts'
import { damaged } from '../mls-error.ts'

/** Epoch (8) and kind (1): a row left over from another epoch must not be mixed in. */
const KIND_AT = 8
const BODY_AT = KIND_AT + 1
const SUBTREE = 1
const RATCHETS = 2

export type SecretRow = readonly [node: number, bytes: Uint8Array]
/** Without bytes the row is erased. */
export type SecretChange = { node: number; bytes: Uint8Array | undefined }

type TreeNode = SecretTree[number]
const encodeRatchets = encode(secretTreeNodeEncoder)

/** The ratchets of a leaf that was used in this epoch. */
export const ratchetsOf = (node: TreeNode): SecretTreeNode | undefined =>
  node === undefined || node instanceof Uint8Array ? undefined : node

export function secretRows(state: ClientState): SecretRow[] {
  const rows: SecretRow[] = []
  for (const [node, value] of state.secretTree.entries()) {
    if (value !== undefined) rows.push([node, encodeRow(state.groupContext.epoch, value)])
  }
  return rows
}

/**
 * The changes between two states of one epoch. ts-mls shares the parts that it did not touch, so comparing references
 * is enough.
 */
export function changedSecrets(before: ClientState, after: ClientState): SecretChange[] {
  const { epoch } = after.groupContext
  return changedNodes(before, after).map(node => {
    const value = after.secretTree[node]
    return { node, bytes: value && encodeRow(epoch, value) }
  })
}

/** Leaves whose ratchets moved: that of the sender, even if the tree above it was opened for that. */
export const movedLeaves = (before: ClientState, after: ClientState): number[] =>
  changedNodes(before, after)
    .filter(node => ratchetsOf(after.secretTree[node]) !== undefined)
    .map(node => node / 2)

function changedNodes(before: ClientState, after: ClientState): number[] {
  const changed: number[] = []
  if (before.secretTree === after.secretTree) return changed
  for (let node = 0; node < after.secretTree.length; node++) {
    if (before.secretTree[node] !== after.secretTree[node]) changed.push(node)
  }
  return changed
}

function encodeRow(epoch: bigint, value: SecretTreeNode | Uint8Array): Uint8Array {
  const isSubtree = value instanceof Uint8Array
  const body = isSubtree ? value : encodeRatchets(value)
  const row = new Uint8Array(BODY_AT + body.length)
  new DataView(row.buffer).setBigUint64(0, epoch)
  row[KIND_AT] = isSubtree ? SUBTREE : RATCHETS
  row.set(body, BODY_AT)
  return row
}

/** Throws `mls-malformed` on a row that does not belong to the tree. */
export function decodeSecretRows(
  rows: Iterable<SecretRow>,
  { epoch, treeNodes }: { epoch: bigint; treeNodes: number },
): SecretTree {
  const tree: SecretTree = Array.from({ length: treeNodes })
  for (const [node, row] of rows) {
    if (!Number.isInteger(node) || node < 0 || node >= treeNodes) throw damaged(`a secret stands at node ${node}`)
    const value = decodeRow(copyBytes(row), epoch)
    if (ratchetsOf(value) !== undefined && node % 2 !== 0) throw damaged(`a ratchet stands at node ${node}`)
    tree[node] = value
  }
  return tree
}

function decodeRow(row: Uint8Array, epoch: bigint): SecretTreeNode | Uint8Array {
  if (row.length <= BODY_AT) throw damaged('a row of secrets is too short')
  const rowEpoch = new DataView(row.buffer).getBigUint64(0)
  if (rowEpoch !== epoch) throw damaged(`a secret of epoch ${rowEpoch} lies beside epoch ${epoch}`)
  const body = row.subarray(BODY_AT)
  if (row[KIND_AT] === RATCHETS) return decodeRatchets(body)
  if (row[KIND_AT] !== SUBTREE || body.length !== KEY_BYTES) throw damaged('a row of secrets is of no known kind')
  return body
}

export function decodeRatchets(body: Uint8Array): SecretTreeNode {
  try {
    const decoded = decodeSecretTreeNode(body, 0)
    if (decoded !== undefined && decoded[1] === body.length) return decoded[0]
  } catch (cause) {
    throw damaged('a row of secrets ends too early', cause)
  }
  throw damaged('a row of secrets does not decode')
}
