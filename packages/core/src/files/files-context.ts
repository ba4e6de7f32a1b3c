// The parts of the client that this folder shares.
import type { BlobId, Clock } from '@postern/protocol'
import type { RelayLink } from '../relay-link/relay-link.ts'
import type { Store } from '../storage/transactions/store.ts'
import type { ChunkBuffers } from './cipher/chunk-buffers.ts'
import type { FileCipher } from './cipher/file-cipher.ts'
import type { BlobTransport } from './transport/blob-transport.ts'
import type { FileVault } from './vault/file-vault.ts'

export type FilesContext = {
  readonly store: Store
  readonly link: RelayLink
  readonly clock: Clock
  readonly vault: FileVault
  readonly blobs: BlobTransport
  readonly cipher: FileCipher
  readonly buffers: ChunkBuffers
  readonly randomBytes: (count: number) => Uint8Array
  /** Blobs that are being uploaded or are about to be sent here: they are no leftovers. */
  readonly inHand: Set<BlobId>
  /** Blobs of messages that wait to be sent. */
  readonly waitingBlobs: () => BlobId[]
  /** Wakes the chores, which remove leftovers. */
  readonly wakeChores: () => void
}

/** The fields of a message that are needed to fetch and open its file. */
export type StoredFile = { blob: BlobId; key: Uint8Array; digest: Uint8Array; size: number }
