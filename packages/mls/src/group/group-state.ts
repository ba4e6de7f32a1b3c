// A group's stored state: the epoch once per epoch, and the rows of its secret tree.
import { concatBytes, copyBytes } from '@postern/protocol'
import type { ClientConfig, ClientState, SecretTree } from 'ts-mls'
import { decodeGroupState, encodeGroupState } from 'ts-mls/clientState.js'
import { damaged } from '../mls-error.ts'
import { decodeFirstFormat, FIRST_FORMAT } from './group-state-v1.ts'
import { decodeSecretRows, type SecretRow, secretRows } from './secret-rows.ts'

const EPOCH_FORMAT = 2
/** An epoch and its rows in one piece: length of the epoch, epoch, then node, length and bytes of each row. */
const WHOLE_FORMAT = 3
const LENGTH_BYTES = 4

/**
 * All but the secret tree, whose rows are erased as they are used. Past epochs are left out: the relay's log is read in
 * order, so nobody needs their keys. The client's config is code, not state.
 */
export function encodeEpoch(state: ClientState): Uint8Array {
  const blob = encodeGroupState({ ...state, secretTree: [], historicalReceiverData: new Map(), unappliedProposals: {} })
  return concatBytes(Uint8Array.of(EPOCH_FORMAT), blob)
}

export function decodeGroup(epochBlob: Uint8Array, rows: Iterable<SecretRow>, clientConfig: ClientConfig): ClientState {
  // Copied first: the decoder's results are views, and the caller's buffer may be SQLite's.
  const state = decodeEpoch(copyBytes(epochBlob))
  const { groupContext, ratchetTree } = state
  const secretTree: SecretTree = isFirstFormat(epochBlob)
    ? decodeFirstFormat(state, rows)
    : decodeSecretRows(rows, { epoch: groupContext.epoch, treeNodes: ratchetTree.length })
  return { ...state, secretTree, clientConfig }
}

/** It has to be written again: that format has the keys of the whole epoch in the blob. */
export const isFirstFormat = (epochBlob: Uint8Array): boolean => epochBlob[0] === FIRST_FORMAT

function decodeEpoch(blob: Uint8Array) {
  if (blob[0] !== EPOCH_FORMAT && blob[0] !== FIRST_FORMAT) throw damaged(`its format is ${blob[0]}`)
  try {
    const decoded = decodeGroupState(blob.subarray(1), 0)
    if (decoded !== undefined && decoded[1] === blob.length - 1) return decoded[0]
  } catch (cause) {
    throw damaged('it ends too early', cause)
  }
  throw damaged('it does not decode')
}

/** A state with no used key, such as the one after a commit in flight. */
export function encodeWhole(state: ClientState): Uint8Array {
  const blob = encodeEpoch(state)
  const rows = secretRows(state).flatMap(([node, bytes]) => [uint32(node), uint32(bytes.length), bytes])
  return concatBytes(Uint8Array.of(WHOLE_FORMAT), uint32(blob.length), blob, ...rows)
}

export function decodeWhole(whole: Uint8Array, clientConfig: ClientConfig): ClientState {
  if (isFirstFormat(whole)) return decodeGroup(whole, [], clientConfig)
  if (whole[0] !== WHOLE_FORMAT) throw damaged(`its format is ${whole[0]}`)
  const reader = new Reader(copyBytes(whole).subarray(1))
  const blob = reader.take(reader.number())
  const rows: SecretRow[] = []
  while (!reader.isAtEnd()) rows.push([reader.number(), reader.take(reader.number())])
  return decodeGroup(blob, rows, clientConfig)
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(LENGTH_BYTES)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  isAtEnd(): boolean {
    return this.#at === this.#bytes.length
  }

  number(): number {
    const bytes = this.take(LENGTH_BYTES)
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  }

  take(count: number): Uint8Array {
    const end = this.#at + count
    if (end > this.#bytes.length) throw damaged('it ends too early')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
