// Where ciphertexts of files lie: spools while they are written, and a cache of those that are whole.
import type { BlobId } from '@postern/protocol'

/** The digest is part of the name: what was fetched for one message is not taken for another that says it is different. */
export type VaultName = { blob: BlobId; digest: Uint8Array }

/** Base32, drawn here: nothing of it is anybody's choice. */
export type LocalFileId = string

export interface SealedBytes {
  /** Fills `into` from `at`; gives fewer bytes only where the file ends. */
  read(into: Uint8Array, at: number): Promise<number>
}

/** A file that is written. Nothing of it is left after `release`, unless it was kept or stowed. */
export interface VaultPart extends SealedBytes {
  /** Throws `storage-full`. */
  write(bytes: Uint8Array, at: number): Promise<void>
  /** From now on it can be found under its name. It can still be read here. */
  keep(name: VaultName): Promise<void>
  /** From now on it outlives a restart, and makes room for nobody, until it is removed. Written to the disk when it resolves. */
  stow(id: LocalFileId): Promise<void>
  release(): Promise<void>
}

/** Read to the end by whoever has it open, also when it is removed meanwhile. */
export interface VaultFile extends SealedBytes {
  close(): Promise<void>
}

export interface FileVault {
  /** Of all that is kept; what is being written and what was stowed is not in it. */
  readonly keptBytes: number
  createPart(): Promise<VaultPart>
  /** How many bytes are kept under a name. */
  lengthOf(name: VaultName): number | undefined
  open(name: VaultName): Promise<VaultFile | undefined>
  remove(blob: BlobId): Promise<void>
  /** Undefined when there is none, as on another device. */
  openStowed(id: LocalFileId): Promise<VaultFile | undefined>
  removeStowed(id: LocalFileId): Promise<void>
  stowed(): Promise<LocalFileId[]>
  /** Gives up what is kept beyond its limit, which sinks when the disk fills up. */
  makeRoom(): Promise<void>
}
