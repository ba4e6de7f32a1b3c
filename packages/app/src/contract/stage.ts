// The app's state before a conversation can be shown: what the person sees instead.

/** Why the account cannot be opened, which decides the screen with the remedy. */
export type FailureKind =
  /** The browser has no private file system, no WebCrypto, or the page is not in a secure context. */
  | 'unsupported'
  /** There is a database without its key, or a key without its database: the browser cleared one of them. */
  | 'storage-cleared'
  /**
   * The browser does not allow this page to store anything: site data is blocked, or it is a private window of some
   * browsers.
   */
  | 'storage-refused'
  /** The browser's storage fails: the stored data may still be there. */
  | 'storage-failed'
  | 'database-damaged'
  | 'storage-full'
  /** A newer version wrote the database: this page is old and must be reloaded. */
  | 'database-newer'
  /** The relay does not know the account any more. */
  | 'account-unknown'
  /** The relay's operator has banned the account. */
  | 'account-banned'
  /** The relay accepts no new accounts: this one exists here, and nowhere else. */
  | 'registration-closed'
  /** The relay accepts new accounts only with a code, and has not received a valid one yet. */
  | 'code-needed'
  | 'unknown'

export type Stage =
  | { kind: 'starting' }
  /** This browser has no account yet. */
  | { kind: 'no-account' }
  | { kind: 'open' }
  /** Another device has opened the account: this one is disconnected until the person takes it back. */
  | { kind: 'elsewhere' }
  /** Nothing can be read without the passphrase. `waitMs`: no passphrase is tried before that. */
  | { kind: 'locked'; waitMs: number }
  | { kind: 'failed'; why: FailureKind; message: string }
