// The sizes that the relay sees: what is encrypted is filled up first, so that its size does not tell a short text's length.

/** Content, before encryption, is filled up to a multiple of this. */
export const PADDING_STEP_BYTES = 256

export const paddedBytes = (contentBytes: number): number =>
  Math.ceil(contentBytes / PADDING_STEP_BYTES) * PADDING_STEP_BYTES
