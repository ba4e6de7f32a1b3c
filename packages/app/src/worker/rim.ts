// What the worker needs of the platform around it: a browser gives it, and in tests Node does.
import type { Beginning, Client, FileCipher, openInvited } from '@postern/core'
import type { ByWords } from '@postern/core/recovery'
import type { AccountId, BlobId, Clock, Log } from '@postern/protocol'

/** The encrypted database as it lies, and its key. */
export type DatabaseCopy = { database: Uint8Array; key: Uint8Array }

export type OpenedAccount = {
  client: Client
  /** All that is committed by now. */
  copy(): Promise<DatabaseCopy>
  /** Stops the client, and leaves nothing of the account here. */
  forgetEverything(): Promise<void>
}

/** How an account begins here: with a name, from a recovery file, or from a copy. One that is made goes on with a code of the relay's. */
export type AccountBeginning = { firstStart: Beginning } | RestoredCopy | { relayCode: string }
/** A backup may be of long ago; what moves is of this moment. */
export type RestoredCopy = { restored: DatabaseCopy; by: 'backup' | 'move' }

export interface Rim {
  readonly clock: Clock
  readonly log: Log
  /** The relay that serves the app. */
  readonly relayUrl: string
  /** Undefined when there is no account, and none was to begin. */
  open(beginning?: AccountBeginning): Promise<OpenedAccount | undefined>
  /** Of the relay that serves the app, as it answers everybody; undefined when it does not. */
  fetchProfile(account: AccountId): Promise<Uint8Array | undefined>
  /** The ciphertext of a stored file, which the relay hands to whoever knows its id; undefined when it has none. */
  fetchBlob(blob: BlobId): Promise<Uint8Array | undefined>
  readonly fileCipher: FileCipher
  /** The cryptography of this platform. */
  sealer(): Promise<Sealer>
  /** For an account that cannot be opened any more, and for what is left of one that never began. */
  forget(): Promise<void>
  /** Throws what is missing where the app cannot run at all. */
  assertSupported(): void
  readonly storage: StorageFacts
  /** After the present turn. */
  defer(run: () => void): void
  /** A moment later, which nobody notices. */
  later(run: () => void): void
}

export type Sealer = ByWords['provider'] & Parameters<typeof openInvited>[0]

export interface StorageFacts {
  persisted(): Promise<boolean>
  estimate(): Promise<{ usedBytes: number; quotaBytes: number }>
}
