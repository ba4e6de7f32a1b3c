// Where the app stands before a conversation can be shown: what a person sees instead of one.

/** Why the account cannot be opened, and so which screen says what to do. */
export type FailureKind =
  /** The browser has no private file system, no WebCrypto, or the page is not in a secure context. */
  | 'unsupported'
  /** There is a database without its key, or a key without its database: the browser cleared one of them. */
  | 'storage-cleared'
  /** The browser lets this page keep nothing: site data is blocked, or it is a private window of some browsers. */
  | 'storage-refused'
  /** The browser's storage fails: what is kept may be there all the same. */
  | 'storage-failed'
  | 'database-damaged'
  | 'storage-full'
  /** A newer version wrote the database: this page is old and must be loaded anew. */
  | 'database-newer'
  /** The relay does not know the account any more. */
  | 'account-unknown'
  /** The relay's operator has shut the account out. */
  | 'account-banned'
  /** The relay takes no new accounts: this one was made here, and nowhere else. */
  | 'registration-closed'
  /** The relay takes new accounts by a code only, and has none yet that counts. */
  | 'code-needed'
  | 'unknown'

export type Stage =
  | { kind: 'starting' }
  /** Nobody lives in this browser yet. */
  | { kind: 'no-account' }
  | { kind: 'open' }
  /** Another device has opened the account: this one is cut off until it is asked back. */
  | { kind: 'elsewhere' }
  | { kind: 'failed'; why: FailureKind; message: string }
