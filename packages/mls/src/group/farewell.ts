// A member's farewell as a proof: everybody in the group can check it, also members that joined later and did not
// receive the message.
import { concatBytes, contentLimits } from '@postern/protocol'
import type { ClientState } from 'ts-mls'
import { signWithLabel, verifyWithLabel } from 'ts-mls/crypto/signature.js'
import { SIGNATURE_BYTES } from '../crypto/provider.ts'
import type { MlsContext } from './mls-context.ts'

export type Farewell = { leaf: number; proof: Uint8Array }

const LABEL = 'postern farewell v1'
const LEAF_BYTES = 4
const FAREWELL_BYTES = LEAF_BYTES + SIGNATURE_BYTES
export const FAREWELLS_BYTES_MAX = contentLimits.groupMembersMax * FAREWELL_BYTES

/** Bound to this very leaf: a member that joins again has another leaf, and its old farewell does not remove it. */
function signedBytes({ groupContext, ratchetTree }: ClientState, leaf: number): Uint8Array | undefined {
  const node = ratchetTree[2 * leaf]
  return node?.nodeType === 'leaf' ? concatBytes(groupContext.groupId, node.leaf.hpkePublicKey) : undefined
}

/** For our own leaf. */
export async function signFarewell({ provider }: MlsContext, state: ClientState): Promise<Uint8Array> {
  const signed = signedBytes(state, state.privatePath.leafIndex)
  if (!signed) throw new Error('our own leaf is missing')
  return await signWithLabel(state.signaturePrivateKey, LABEL, signed, provider.cipherSuite.signature)
}

export async function isFarewell(
  { provider }: MlsContext,
  state: ClientState,
  { leaf, proof }: Farewell,
): Promise<boolean> {
  const node = state.ratchetTree[2 * leaf]
  const signed = signedBytes(state, leaf)
  if (!signed || node?.nodeType !== 'leaf' || proof.length !== SIGNATURE_BYTES) return false
  const { signature } = provider.cipherSuite
  return await verifyWithLabel(node.leaf.signaturePublicKey, LABEL, signed, proof, signature).catch(() => false)
}

/** Unencrypted, next to the commit: the relay knows who has left. */
export function encodeFarewells(farewells: readonly Farewell[]): Uint8Array {
  const bytes = new Uint8Array(farewells.length * FAREWELL_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [at, { leaf, proof }] of farewells.entries()) {
    view.setUint32(at * FAREWELL_BYTES, leaf)
    bytes.set(proof, at * FAREWELL_BYTES + LEAF_BYTES)
  }
  return bytes
}

/** Empty for invalid bytes. */
export function decodeFarewells(bytes: Uint8Array): Farewell[] {
  if (bytes.length % FAREWELL_BYTES !== 0 || bytes.length > FAREWELLS_BYTES_MAX) return []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: bytes.length / FAREWELL_BYTES }, (_, index) => {
    const at = index * FAREWELL_BYTES
    return { leaf: view.getUint32(at), proof: bytes.slice(at + LEAF_BYTES, at + FAREWELL_BYTES) }
  })
}
