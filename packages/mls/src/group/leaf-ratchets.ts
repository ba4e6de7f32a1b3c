// The ratchets of a leaf, opened from the secret tree of the epoch if nobody at that leaf has sent anything yet (RFC 9420 §9).
import { utf8 } from '@postern/protocol'
import type { SecretTree, SecretTreeNode } from 'ts-mls'
import { directPath, leafWidth, left, right, toNodeIndex } from 'ts-mls/treemath.js'
import { KdfLabel } from '../crypto/kdf-label.ts'
import { KEY_BYTES } from '../crypto/provider.ts'
import { ratchetsOf } from './secret-rows.ts'

type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array

export interface LeafRatchets {
  ratchets: SecretTreeNode
  /** The tree with these ratchets: a new one only if the leaf had to be opened. */
  tree: SecretTree
}

const labelOf = (label: string, context: Uint8Array = new Uint8Array()): Uint8Array =>
  new KdfLabel(label, { bytes: KEY_BYTES, contextBytes: context.length }).of(context)
const LEFT = labelOf('tree', utf8('left'))
const RIGHT = labelOf('tree', utf8('right'))
const APPLICATION = labelOf('application')
const HANDSHAKE = labelOf('handshake')

/** Undefined for a leaf that the tree does not lead to. */
export function ratchetsAt(hmac: Hmac, tree: SecretTree, leaf: number): LeafRatchets | undefined {
  const index = toNodeIndex(2 * leaf)
  if (index >= tree.length) return undefined
  const ratchets = ratchetsOf(tree[index])
  return ratchets === undefined ? opened(hmac, tree, index) : { ratchets, tree }
}

/** The source of a secret is erased: every key of the epoch could be derived from it again. */
function opened(hmac: Hmac, tree: SecretTree, index: ReturnType<typeof toNodeIndex>): LeafRatchets | undefined {
  const path = [index, ...directPath(index, leafWidth(tree.length))]
  const from = path.findIndex(node => tree[node] instanceof Uint8Array)
  const copy = tree.slice()
  for (const node of path.slice(1, from + 1).toReversed()) {
    const secret = copy[node]
    if (!(secret instanceof Uint8Array)) return undefined
    copy[left(node)] = hmac(secret, LEFT)
    copy[right(node)] = hmac(secret, RIGHT)
    copy[node] = undefined
  }
  const secret = copy[index]
  if (!(secret instanceof Uint8Array)) return undefined
  const first = (label: Uint8Array) => ({ secret: hmac(secret, label), generation: 0, unusedGenerations: {} })
  const ratchets = { handshake: first(HANDSHAKE), application: first(APPLICATION) }
  copy[index] = ratchets
  return { ratchets, tree: copy }
}
