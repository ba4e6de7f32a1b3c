// A session as core stores it: the epoch when it begins, then each secret that moved; used secrets are erased.
import {
  changedSecrets,
  encodeEpoch,
  type GroupSession,
  makeMlsContext,
  openSession,
  ratchetsOf,
  secretRows,
} from '@postern/mls'
import { makeNodeProvider } from '@postern/mls/node'
import { encodeGroupState } from 'ts-mls/clientState.js'
import { encode } from 'ts-mls/codec/tlsEncoder.js'
import { expandWithLabel } from 'ts-mls/crypto/kdf.js'
import { type SecretTreeNode, secretTreeNodeEncoder } from 'ts-mls/secretTree.js'
import { leafWidth, left, right, root, toNodeIndex } from 'ts-mls/treemath.js'

const NOW_SEC = 2_000_000_000
const provider = makeNodeProvider()
const context = makeMlsContext(provider, () => NOW_SEC)
const encoder = new TextEncoder()
const utf8 = (text: string): Uint8Array => encoder.encode(text)

export class StoredSession {
  readonly epochBlob: Uint8Array
  readonly rows: Map<number, Uint8Array>

  constructor(session: GroupSession) {
    this.epochBlob = encodeEpoch(session.state)
    this.rows = new Map(secretRows(session.state))
  }
  save(before: GroupSession, after: GroupSession): GroupSession {
    for (const { node, bytes } of changedSecrets(before.state, after.state)) {
      if (bytes === undefined) this.rows.delete(node)
      else this.rows.set(node, bytes)
    }
    return after
  }
  open(): GroupSession {
    return openSession(context, { epochBlob: this.epochBlob, secretRows: this.rows })
  }
  /** Everything that a thief would find. */
  values(): Uint8Array[] {
    return [this.epochBlob, ...this.rows.values()]
  }
}

const { kdf } = provider.cipherSuite
const derived = (secret: Uint8Array, label: string, context = '') =>
  expandWithLabel(secret, label, utf8(context), kdf.size, kdf)

/** The epoch in the first format: the ratchets of all leaves in one blob. */
export async function firstFormatOf({ state }: GroupSession): Promise<Uint8Array> {
  const tree: SecretTreeNode[] = []
  const fill = async (node: number, above?: Uint8Array): Promise<void> => {
    const value = state.secretTree[node]
    const secret = value instanceof Uint8Array ? value : above
    const made = secret && {
      handshake: await firstRatchet(secret, 'handshake'),
      application: await firstRatchet(secret, 'application'),
    }
    tree[node] = ratchetsOf(value) ?? made ?? { handshake: unused, application: unused }
    if (node % 2 === 0) return
    await fill(left(toNodeIndex(node)), secret && (await derived(secret, 'tree', 'left')))
    await fill(right(toNodeIndex(node)), secret && (await derived(secret, 'tree', 'right')))
  }
  await fill(root(leafWidth(state.secretTree.length)))
  return Uint8Array.of(1, ...encodeGroupState({ ...state, secretTree: tree }))
}

const unused = { secret: new Uint8Array(0), generation: 0, unusedGenerations: {} }
const firstRatchet = async (secret: Uint8Array, label: string) => ({ ...unused, secret: await derived(secret, label) })

/** A row of the first format: the ratchets of one leaf, with skipped generations as the secrets they came from. */
export function firstFormatRow(epoch: bigint, ratchets: SecretTreeNode): Uint8Array {
  const number = new Uint8Array(8)
  new DataView(number.buffer).setBigUint64(0, epoch)
  return Uint8Array.of(...number, ...encode(secretTreeNodeEncoder)(ratchets))
}
