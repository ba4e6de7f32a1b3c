// The worker's needs of its platform: a browser provides them, and in tests Node does.
import type { AccountOrigin, BlobTransport, Client, FileCipher, openInvited } from '@postern/core'
import type { ByWords } from '@postern/core/recovery'
import type { AccountId, Clock, Log } from '@postern/protocol'

/** The encrypted database as stored, and its key. */
export type AccountCopy = { database: Uint8Array; key: Uint8Array }

export type OpenedAccount = {
  client: Client
  /** Everything committed so far. */
  copy(): Promise<AccountCopy>
  /** Stops the client, and leaves nothing of the account here. */
  forgetEverything(): Promise<void>
}

/**
 * How an account begins here: with a name, from a recovery file, or from a copy. A created one continues with a code of
 * the relay.
 */
export type AccountBeginning = { firstStart: AccountOrigin } | RestoredCopy | { relayCode: string }
/** A backup may be old; a moved copy is current. */
export type RestoredCopy = { restored: AccountCopy; by: 'backup' | 'move' }

export interface WorkerPlatform {
  readonly clock: Clock
  readonly log: Log
  /** The relay that serves the app. */
  readonly relayUrl: string
  /** Undefined when there is no account, and none was to be created. */
  open(beginning?: AccountBeginning): Promise<OpenedAccount | undefined>
  /**
   * From the relay that serves the app, which answers everybody; undefined when it has none. Throws
   * `relay-unreachable`.
   */
  fetchProfile(account: AccountId): Promise<Uint8Array | undefined>
  /** Fetches ciphertext from the relay that serves the app, for a person without an account. */
  connectBlobs(): BlobTransport
  readonly fileCipher: FileCipher
  /** The cryptography of this platform. */
  sealer(): Promise<WordSealer>
  /** For tests only: makes guessing the words of a saved file cheaper. */
  sealCostLog2?: number
  /** For an account that can no longer be opened, and for the rest of one that never began. */
  forget(): Promise<void>
  /** Rejects with the missing feature if the app cannot run at all, or cannot store anything. */
  assertSupported(): Promise<void>
  readonly storage: StorageFacts
  /** After the present turn. */
  defer(run: () => void): void
  /** A moment later, unnoticeably. */
  later(run: () => void): void
}

export type WordSealer = ByWords['provider'] & Parameters<typeof openInvited>[0]

export interface StorageFacts {
  persisted(): Promise<boolean>
  estimate(): Promise<{ usedBytes: number; quotaBytes: number }>
}
