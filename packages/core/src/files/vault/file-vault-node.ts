// The vault as a folder of the data directory.
// It evicts the least recently used files, and sweeps leftovers of a killed process.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobId, type Clock, CodedError, isBlobId, systemCodeOf, systemFault, toBase32 } from '@postern/protocol'
import type { FileVault, LocalFileId, SealedBytes, VaultFile, VaultName, VaultPart } from './file-vault.ts'

const PART_SUFFIX = '.part'
const STOWED_SUFFIX = '.stowed'
const DIGEST_BYTES = 20

export interface NodeVaultOptions {
  directory: string
  bytesMax: number
  clock: Clock
  /** For tests of a failing disk. */
  openFile?: typeof open
  /** For tests of a small disk. */
  diskFreeBytes?: () => Promise<number>
}

const isWorking = (file: string): boolean => file.endsWith(PART_SUFFIX) || file.endsWith(STOWED_SUFFIX)

type Kept = { file: string; bytes: number; readers: number }

/** Call this in the one process that holds the database: it sweeps files that others would still be writing. */
export async function openNodeFileVault(options: NodeVaultOptions): Promise<FileVault> {
  mkdirSync(options.directory, { recursive: true, mode: 0o700 })
  const found: { blob: BlobId; usedMs: number; kept: Kept }[] = []
  for (const file of readdirSync(options.directory)) {
    const path = join(options.directory, file)
    if (file.endsWith(PART_SUFFIX)) rmSync(path, { force: true })
    const [blob = '', digest] = file.split('.')
    if (!isBlobId(blob) || digest === undefined || isWorking(file)) continue
    const { size, mtimeMs } = statSync(path)
    found.push({ blob, usedMs: mtimeMs, kept: { file, bytes: size, readers: 0 } })
  }
  found.sort((a, b) => a.usedMs - b.usedMs)
  const vault = new NodeFileVault(options, new Map(found.map(({ blob, kept }) => [blob, kept])))
  await vault.makeRoom()
  return vault
}

class NodeFileVault implements FileVault {
  readonly #options: NodeVaultOptions
  readonly #openFile: typeof open
  /** The least recently used first. */
  readonly #kept: Map<BlobId, Kept>
  #keptBytes = 0
  #lastPart = 0

  constructor(options: NodeVaultOptions, kept: Map<BlobId, Kept>) {
    this.#options = options
    this.#openFile = options.openFile ?? open
    this.#kept = kept
    for (const { bytes } of kept.values()) this.#keptBytes += bytes
  }

  get keptBytes(): number {
    return this.#keptBytes
  }

  kept(): Map<BlobId, number> {
    return new Map([...this.#kept].map(([blob, { bytes }]) => [blob, bytes]))
  }

  async createPart(): Promise<VaultPart> {
    this.#lastPart += 1
    const path = this.#path(`${this.#lastPart}${PART_SUFFIX}`)
    const handle = await coded(this.#create(path))
    let state: 'part' | 'kept' | 'stowed' | 'released' = 'part'
    return {
      ...reading(handle),
      write: (bytes, at) => coded(this.#write(handle, { bytes, at })),
      keep: async name => {
        await coded(this.#keep(path, { name, bytes: (await coded(handle.stat())).size }))
        state = 'kept'
      },
      stow: async id => {
        // Before it has its name: a power cut must not leave an incomplete file.
        await coded(handle.sync())
        await coded(rename(path, this.#stowedPath(id)))
        state = 'stowed'
      },
      release: async () => {
        if (state === 'released') return
        if (state === 'part') await absentIsFine(unlink(path))
        state = 'released'
        await handle.close()
      },
    }
  }

  lengthOf(name: VaultName): number | undefined {
    const kept = this.#kept.get(name.blob)
    return kept?.file === fileName(name) ? kept.bytes : undefined
  }

  async open(name: VaultName): Promise<VaultFile | undefined> {
    const kept = this.#kept.get(name.blob)
    if (kept?.file !== fileName(name)) return undefined
    const handle = await coded(absentIsFine(this.#openFile(this.#path(kept.file), 'r')))
    if (!handle) {
      if (this.#kept.get(name.blob) === kept) this.#forget(name.blob, kept)
      return undefined
    }
    kept.readers += 1
    await this.#use(name.blob, { kept, handle })
    return {
      ...reading(handle),
      close: async () => {
        kept.readers -= 1
        await handle.close()
        await this.makeRoom()
      },
    }
  }

  async remove(blob: BlobId): Promise<void> {
    const kept = this.#kept.get(blob)
    if (!kept) return
    this.#forget(blob, kept)
    await coded(absentIsFine(unlink(this.#path(kept.file))))
  }

  async openStowed(id: LocalFileId): Promise<VaultFile | undefined> {
    const handle = await coded(absentIsFine(this.#openFile(this.#stowedPath(id), 'r')))
    return handle && { ...reading(handle), close: () => handle.close() }
  }

  async removeStowed(id: LocalFileId): Promise<void> {
    await coded(absentIsFine(unlink(this.#stowedPath(id))))
  }

  async stowed(): Promise<LocalFileId[]> {
    const files = (await coded(absentIsFine(readdir(this.#options.directory)))) ?? []
    return files.filter(file => file.endsWith(STOWED_SUFFIX)).map(file => file.slice(0, -STOWED_SUFFIX.length))
  }

  /** Files that are being read stay, and so does the newest, which is about to be read. */
  async makeRoom(): Promise<void> {
    const bytesMax = await this.#bytesMax()
    let older = this.#kept.size - 1
    // Iterates the map itself, never a copy: there may be very many, and this runs after every use.
    for (const [blob, { readers }] of this.#kept) {
      if (this.#keptBytes <= bytesMax || older-- <= 0) return
      if (readers === 0) await this.remove(blob)
    }
  }

  /** No more than it leaves free: files that can be fetched again must not fill the disk of the database. */
  async #bytesMax(): Promise<number> {
    const { directory, bytesMax, diskFreeBytes = () => freeBytesAt(directory) } = this.#options
    return Math.min(bytesMax, (this.#keptBytes + (await diskFreeBytes())) / 2)
  }

  /** Somebody may have deleted the folder. If the data directory is gone as well, this fails. */
  async #create(path: string): Promise<FileHandle> {
    const create = () => this.#openFile(path, 'wx+', 0o600)
    const handle = await absentIsFine(create())
    if (handle) return handle
    await mkdir(this.#options.directory, { mode: 0o700 }).catch(existsIsFine)
    return await create()
  }

  /** On a full disk, kept files are evicted first, the least recently used first, before a write fails. */
  async #write(handle: FileHandle, { bytes, at }: { bytes: Uint8Array; at: number }): Promise<void> {
    for (;;) {
      try {
        return await writeAll(handle, bytes, at)
      } catch (error) {
        const [oldest] = this.#kept.entries().find(([, { readers }]) => readers === 0) ?? []
        if (!isFull(error) || oldest === undefined) throw error
        await this.remove(oldest)
      }
    }
  }

  #forget(blob: BlobId, kept: Kept): void {
    this.#kept.delete(blob)
    this.#keptBytes -= kept.bytes
  }

  async #keep(partPath: string, { name, bytes }: { name: VaultName; bytes: number }): Promise<void> {
    await this.remove(name.blob)
    const file = fileName(name)
    // If somebody has deleted the folder, the file is gone with it: it is fetched from the relay again.
    if (!(await absentIsFine(rename(partPath, this.#path(file)).then(() => true)))) return
    this.#kept.set(name.blob, { file, bytes, readers: 0 })
    this.#keptBytes += bytes
    await this.makeRoom()
  }

  /** The order of use survives a restart as the files' times. */
  async #use(blob: BlobId, { kept, handle }: { kept: Kept; handle: FileHandle }): Promise<void> {
    // Unless it was removed meanwhile.
    if (this.#kept.get(blob) === kept) {
      this.#kept.delete(blob)
      this.#kept.set(blob, kept)
    }
    const now = new Date(this.#options.clock.nowMs())
    await handle.utimes(now, now).catch(() => undefined)
  }

  #stowedPath(id: LocalFileId): string {
    return this.#path(`${id}${STOWED_SUFFIX}`)
  }

  #path(file: string): string {
    return join(this.#options.directory, file)
  }
}

/** Letters and digits only, whatever a message says: it must not name a file elsewhere. */
function fileName({ blob, digest }: VaultName): string {
  if (!isBlobId(blob)) throw new CodedError('file-damaged')
  return `${blob}.${toBase32(digest.subarray(0, DIGEST_BYTES))}`
}

function reading(handle: FileHandle): SealedBytes {
  return {
    async read(into, at) {
      let filled = 0
      while (filled < into.length) {
        const { bytesRead } = await coded(handle.read(into, filled, into.length - filled, at + filled))
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return filled
    },
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCodeOf(error))

/** If the system does not report it, only the limit counts. */
async function freeBytesAt(directory: string): Promise<number> {
  const disk = await statfs(directory).catch(() => undefined)
  return disk ? disk.bavail * disk.bsize : Infinity
}

async function coded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const fault = systemFault(cause)
    throw fault instanceof CodedError ? fault : new CodedError('storage-failed', {}, { cause })
  }
}

function existsIsFine(error: unknown): void {
  if (systemCodeOf(error) !== 'EEXIST') throw error
}

async function absentIsFine<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
