// The errors of the MLS layer: the code decides how the rest of core reacts. None of them leaves core.
import type { AccountId } from '@postern/protocol'

export type MlsErrorCode =
  /** The bytes are not a message of ours, or a library refused their content. */
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
  /** The account is already on a leaf. */
  | 'mls-duplicate-account'
  /** A key package that cannot be added: forged, expired, or not made for us. Fetch another one. */
  | 'mls-bad-key-package'
  /** None of the key packages that a welcome names is ours. */
  | 'mls-not-invited'
  /**
   * A commit that breaks the rules of MLS or ours. If another member made it, the error names the committer, and no
   * member follows it.
   */
  | 'mls-forbidden'
  /** We are no longer in the group. */
  | 'mls-removed'

export class MlsError extends Error {
  readonly code: MlsErrorCode
  /** The author of the refused commit, proven by its signature. Absent: anybody may have sent this. */
  readonly committer: AccountId | undefined

  constructor(code: MlsErrorCode, message: string, options: { cause?: unknown; committer?: AccountId } = {}) {
    super(message, { cause: options.cause })
    this.name = 'MlsError'
    this.code = code
    this.committer = options.committer
  }
}

export const damaged = (what: string, cause?: unknown) =>
  new MlsError('mls-malformed', `The stored group state is damaged: ${what}.`, { cause })

export const isMlsError = (error: unknown, ...codes: MlsErrorCode[]): error is MlsError =>
  error instanceof MlsError && (codes.length === 0 || codes.includes(error.code))
