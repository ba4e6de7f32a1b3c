// The first format of a stored group: every leaf's first ratchet in the epoch, and rows of those that moved. Only read.
import { copyBytes } from '@postern/protocol'
import type { GroupState, SecretTree, SecretTreeNode } from 'ts-mls'
import { damaged } from '../mls-error.ts'
import { decodeRatchets, ratchetsOf, type SecretRow } from './secret-rows.ts'

export const FIRST_FORMAT = 1
const EPOCH_NUMBER_BYTES = 8

export function decodeFirstFormat(state: GroupState, rows: Iterable<SecretRow>): SecretTree {
  const { epoch } = state.groupContext
  const tree: SecretTree = state.secretTree.map((node, index) => {
    const ratchets = ratchetsOf(node)
    return index % 2 === 0 && ratchets ? withoutSkipped(ratchets) : undefined
  })
  for (const [node, row] of rows) {
    if (tree[node] === undefined) throw damaged(`a ratchet stands at node ${node}`)
    tree[node] = decodeRow(copyBytes(row), epoch)
  }
  return tree
}

function decodeRow(row: Uint8Array, epoch: bigint): SecretTreeNode {
  if (row.length <= EPOCH_NUMBER_BYTES) throw damaged('a ratchet row is too short')
  const rowEpoch = new DataView(row.buffer).getBigUint64(0)
  if (rowEpoch !== epoch) throw damaged(`a ratchet of epoch ${rowEpoch} lies beside epoch ${epoch}`)
  return withoutSkipped(decodeRatchets(row.subarray(EPOCH_NUMBER_BYTES)))
}

/** Stored in a form from which the keys of later messages follow: skipped keys are dropped. */
const withoutSkipped = ({ handshake, application }: SecretTreeNode): SecretTreeNode => ({
  handshake: { ...handshake, unusedGenerations: {} },
  application: { ...application, unusedGenerations: {} },
})
