// The sizes that the relay sees: content is padded before encryption, so that its size does not reveal a short text's length.
import { wireLimits } from '@postern/protocol'
import { SIGNATURE_BYTES } from '../crypto/provider.ts'
import { lengthBytes } from './vector-length.ts'

const { paddingStepBytes } = wireLimits

export const paddedBytes = (contentBytes: number): number =>
  Math.ceil(contentBytes / paddingStepBytes) * paddingStepBytes

/** For a text with its signature: each follows its length. */
export const paddedTextBytes = (textBytes: number): number =>
  paddedBytes(lengthBytes(textBytes) + textBytes + lengthBytes(SIGNATURE_BYTES) + SIGNATURE_BYTES)
