// What the worker needs of the platform around it: a browser gives it, and in tests Node does.
import type { AccountOrigin, BlobTransport, Client, FileCipher, openInvited } from '@postern/core'
import type { ByWords } from '@postern/core/recovery'
import type { AccountId, Clock, Log } from '@postern/protocol'

/** The encrypted database as it lies, and its key. */
export type AccountCopy = { database: Uint8Array; key: Uint8Array }

export type OpenedAccount = {
  client: Client
  /** All that is committed by now. */
  copy(): Promise<AccountCopy>
  /** Stops the client, and leaves nothing of the account here. */
  forgetEverything(): Promise<void>
}

/** How an account begins here: with a name, from a recovery file, or from a copy. One that is made goes on with a code of the relay's. */
export type AccountBeginning = { firstStart: AccountOrigin } | RestoredCopy | { relayCode: string }
/** A backup may be of long ago; what moves is of this moment. */
export type RestoredCopy = { restored: AccountCopy; by: 'backup' | 'move' }

export interface WorkerPlatform {
  readonly clock: Clock
  readonly log: Log
  /** The relay that serves the app. */
  readonly relayUrl: string
  /** Undefined when there is no account, and none was to begin. */
  open(beginning?: AccountBeginning): Promise<OpenedAccount | undefined>
  /** Of the relay that serves the app, as it answers everybody; undefined when it has none. Throws `relay-unreachable`. */
  fetchProfile(account: AccountId): Promise<Uint8Array | undefined>
  /** How ciphertext comes from the relay that serves the app, for one who has no account yet. */
  connectBlobs(): BlobTransport
  readonly fileCipher: FileCipher
  /** The cryptography of this platform. */
  sealer(): Promise<WordSealer>
  /** Only tests have one: less than what a guess at the words of a saved file costs otherwise. */
  sealCostLog2?: number
  /** For an account that cannot be opened any more, and for what is left of one that never began. */
  forget(): Promise<void>
  /** Rejects with what is missing where the app cannot run at all, or keep nothing. */
  assertSupported(): Promise<void>
  readonly storage: StorageFacts
  /** After the present turn. */
  defer(run: () => void): void
  /** A moment later, which nobody notices. */
  later(run: () => void): void
}

export type WordSealer = ByWords['provider'] & Parameters<typeof openInvited>[0]

export interface StorageFacts {
  persisted(): Promise<boolean>
  estimate(): Promise<{ usedBytes: number; quotaBytes: number }>
}
