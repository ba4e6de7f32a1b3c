// The worker's needs of its platform: a browser provides them, and in tests Node does.
import type { AccountOrigin, BlobTransport, Client, FileCipher, openInvited } from '@postern/core'
import type { ByWords } from '@postern/core/recovery'
import type { AccountId, Clock, Log } from '@postern/protocol'
import type { PushShelf } from '../notifications/push-database.ts'

/** The encrypted database as stored, and its key. */
export type AccountCopy = { database: Uint8Array; key: Uint8Array }

export type OpenedAccount = {
  client: Client
  /** Everything committed so far. */
  copy(): Promise<AccountCopy>
  readonly lock: AccountPassphrase
  /** Stops the client, and leaves nothing of the account here. */
  forgetEverything(): Promise<void>
}

/** The passphrase without which the account cannot be opened. */
export interface AccountPassphrase {
  isSet(): Promise<boolean>
  /** Durable when it resolves: the old lock or the new one is there, whatever happens in between. */
  set(passphrase: string | undefined): Promise<void>
  /** Throws `passphrase-wrong`. */
  assertMatches(passphrase: string): Promise<void>
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
  /** The relay of the app. */
  readonly relayUrl: string
  /**
   * Undefined when there is no account, and none was to be created. Throws `passphrase-needed` for a locked account, and
   * `passphrase-wrong`.
   */
  open(beginning?: AccountBeginning, passphrase?: string): Promise<OpenedAccount | undefined>
  /** Wrong passphrases since the last right one, also those of earlier workers. */
  wrongPassphrases(): Promise<number>
  /**
   * From the relay, which answers everybody; undefined when it has none. Throws
   * `relay-unreachable`.
   */
  fetchProfile(account: AccountId): Promise<Uint8Array | undefined>
  /** Fetches ciphertext from the relay, for a person without an account. */
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
  /** The facts for the service worker, which only push notifications need. */
  pushShelf(): Promise<PushShelf>
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
