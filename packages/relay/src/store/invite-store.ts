// Where the invites of a relay stand: files beside a database that one process has locked, or rows of one that many share.

/** A code that the operator gave out, by its hash. */
export type StoredInvite = { hash: Uint8Array; usesMax: number; expiresMs: number }

export interface InviteStore {
  /** Resolves when no power cut takes it back. */
  put(invite: StoredInvite): Promise<void>
  get(hash: Uint8Array): Promise<StoredInvite | undefined>
  /** All that were made and not swept yet. */
  list(): Promise<StoredInvite[]>
  /** Nobody is let in by it after that. Whether it was there is nothing to it. */
  remove(hash: Uint8Array): Promise<void>
  /** Removes those that expired before; gives how many. */
  sweep(beforeMs: number): Promise<number>
}
