// The sizes that the relay sees: what is encrypted is filled up first, so that its size does not tell a short text's length.
import { SIGNATURE_BYTES } from './provider.ts'
import { lengthBytes } from './vector-length.ts'

/** Content, before encryption, is filled up to a multiple of this. */
export const PADDING_STEP_BYTES = 256

export const paddedBytes = (contentBytes: number): number =>
  Math.ceil(contentBytes / PADDING_STEP_BYTES) * PADDING_STEP_BYTES

/** Of a text, with its signature: each stands behind its length. */
export const paddedTextBytes = (textBytes: number): number =>
  paddedBytes(lengthBytes(textBytes) + textBytes + lengthBytes(SIGNATURE_BYTES) + SIGNATURE_BYTES)
