// Storage for the ciphertexts of files: spools while they are written, and a cache of complete ones.
import type { BlobId } from '@postern/protocol'

/**
 * The digest is part of the name: a file fetched for one message does not serve another that names a different digest.
 */
export type VaultName = { blob: BlobId; digest: Uint8Array }

/** Base32, drawn at random here: nobody else chooses any of it. */
export type LocalFileId = string

export interface SealedBytes {
  /** Fills `into` from `at`. Returns fewer bytes only where the file ends. */
  read(into: Uint8Array, at: number): Promise<number>
}

/** A file that is written. Nothing of it is left after `release`, unless it was kept or stowed. */
export interface VaultPart extends SealedBytes {
  /** Throws `storage-full`. */
  write(bytes: Uint8Array, at: number): Promise<void>
  /** From now on it can be found under its name. It can still be read here. */
  keep(name: VaultName): Promise<void>
  /** From now on it survives restarts, and is never evicted, until it is removed. On disk when it resolves. */
  stow(id: LocalFileId): Promise<void>
  release(): Promise<void>
}

/** Can be read to the end while it is open, also when it is removed meanwhile. */
export interface VaultFile extends SealedBytes {
  close(): Promise<void>
}

export interface FileVault {
  /** The size of all kept files, without those being written or stowed. */
  readonly keptBytes: number
  /** The size of each kept file. */
  kept(): Map<BlobId, number>
  createPart(): Promise<VaultPart>
  /** How many bytes are kept under a name. */
  lengthOf(name: VaultName): number | undefined
  open(name: VaultName): Promise<VaultFile | undefined>
  remove(blob: BlobId): Promise<void>
  /** Undefined when there is none, as on another device. */
  openStowed(id: LocalFileId): Promise<VaultFile | undefined>
  removeStowed(id: LocalFileId): Promise<void>
  stowed(): Promise<LocalFileId[]>
  /** Evicts kept files beyond their limit, which shrinks when the disk fills up. */
  makeRoom(): Promise<void>
}
