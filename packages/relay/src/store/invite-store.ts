// Storage for invites: files beside a database that one process has locked, or rows of a shared one.

/** A code that the operator gave out, known by its hash. */
export type StoredInvite = { hash: Uint8Array; usesMax: number; expiresMs: number }

export interface InviteStore {
  /** Resolves when the invite is durable. */
  put(invite: StoredInvite): Promise<void>
  get(hash: Uint8Array): Promise<StoredInvite | undefined>
  /** All invites that were not swept yet. */
  list(): Promise<StoredInvite[]>
  /** Nobody can register with the invite afterwards. Removing an absent invite is no error. */
  remove(hash: Uint8Array): Promise<void>
  /** Removes invites that expired before that time; returns how many. */
  sweep(beforeMs: number): Promise<number>
}
