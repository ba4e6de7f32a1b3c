// What the MLS layer throws: the code says what the rest of core does about it. None of these leaves core.

export type MlsErrorCode =
  /** The bytes are no message of ours, or a library refused what is in them. */
  | 'mls-malformed'
  /** Made for another group. */
  | 'mls-wrong-group'
  /** Made in an epoch before or after ours: apply the commits in between, or send again. */
  | 'mls-wrong-epoch'
  /** Read before: the key of this message is gone. */
  | 'mls-replayed'
  /** Written by this very leaf; nobody can read their own messages, nor apply their own commits. */
  | 'mls-own-message'
  /** Does not decrypt, or does not verify. */
  | 'mls-undecryptable'
  /** A leaf's credential does not prove its account, or an account changed hands. */
  | 'mls-bad-credential'
  /** The account is on a leaf already. */
  | 'mls-duplicate-account'
  /** A key package that cannot be added: forged, expired, or not made for us. Take another one. */
  | 'mls-bad-key-package'
  /** None of the key packages that a welcome names is ours. */
  | 'mls-not-invited'
  /** A commit that MLS allows and we do not. */
  | 'mls-forbidden'
  /** We are no longer in the group. */
  | 'mls-removed'

export class MlsError extends Error {
  readonly code: MlsErrorCode

  constructor(code: MlsErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'MlsError'
    this.code = code
  }
}

export const isMlsError = (error: unknown, ...codes: MlsErrorCode[]): error is MlsError =>
  error instanceof MlsError && (codes.length === 0 || codes.includes(error.code))
