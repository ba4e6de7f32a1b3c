// The sizes that the relay sees: what is encrypted is filled up first, so that its size does not tell a short text's length.
import { wireLimits } from '@postern/protocol'
import { SIGNATURE_BYTES } from '../crypto/provider.ts'
import { lengthBytes } from './vector-length.ts'

const { paddingStepBytes } = wireLimits

export const paddedBytes = (contentBytes: number): number =>
  Math.ceil(contentBytes / paddingStepBytes) * paddingStepBytes

/** Of a text, with its signature: each stands behind its length. */
export const paddedTextBytes = (textBytes: number): number =>
  paddedBytes(lengthBytes(textBytes) + textBytes + lengthBytes(SIGNATURE_BYTES) + SIGNATURE_BYTES)
