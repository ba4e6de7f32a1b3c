// Content with the signature of its sender's leaf, filled up so that its size does not reveal its length.
import type { ClientState } from 'ts-mls'
import { SIGNATURE_BYTES } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { paddedBytes } from '../wire/padding.ts'

const LENGTH_BYTES = 4
export const CONTENT_MIN_BYTES = SIGNATURE_BYTES + LENGTH_BYTES

export function leafAt(state: ClientState, leaf: number) {
  const node = state.ratchetTree[2 * leaf]
  return node?.nodeType === 'leaf' ? node.leaf : undefined
}

export function padded(proof: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const content = new Uint8Array(paddedBytes(CONTENT_MIN_BYTES + plaintext.length))
  content.set(proof)
  new DataView(content.buffer).setUint32(SIGNATURE_BYTES, plaintext.length)
  content.set(plaintext, CONTENT_MIN_BYTES)
  return content
}

export function unpadded(content: Uint8Array): { proof: Uint8Array; plaintext: Uint8Array } {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const end = CONTENT_MIN_BYTES + (content.length < CONTENT_MIN_BYTES ? 0 : view.getUint32(SIGNATURE_BYTES))
  if (end > content.length || content.subarray(end).some(byte => byte !== 0)) {
    throw new MlsError('mls-malformed', 'The content is not filled up as it should be.')
  }
  return { proof: content.slice(0, SIGNATURE_BYTES), plaintext: content.slice(CONTENT_MIN_BYTES, end) }
}
