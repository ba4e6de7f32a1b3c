// The vault as a folder of the origin's private file system. It evicts the least recently used files.
import { type BlobId, CodedError, isBlobId, toBase32 } from '@postern/protocol'
import {
  type AccessHandle,
  absentIsFine,
  accessHandle,
  assertWritten,
  browserFault,
  coded,
  isFull,
  openFolder,
  renameFile,
  whileHeld,
} from '../../storage/sqlite/opfs-browser.ts'
import type { FileVault, LocalFileId, VaultFile, VaultName, VaultPart } from './file-vault.ts'
import { isStowed, openStowed, readFrom, stowedIn, stowedName } from './local-files-browser.ts'
import { LruOrder } from './lru-order-browser.ts'

const PART_SUFFIX = '.part'
const DIGEST_BYTES = 20

export interface BrowserVaultOptions {
  /** A folder of the private file system, for example `postern/files`. */
  folder: string
  bytesMax: number
  /** For tests of a small disk. */
  freeBytes?: () => Promise<number>
}

type Kept = { file: string; title: string; bytes: number; readers: number; isDead: boolean }
type Found = { blob: BlobId; serial: number; kept: Kept }

/** Call this in the one worker that holds the database: it sweeps files that others would still be writing. */
export async function openBrowserFileVault(options: BrowserVaultOptions): Promise<FileVault> {
  return await coded(openVault(options))
}

async function openVault(options: BrowserVaultOptions): Promise<FileVault> {
  const folder = await openFolder(options.folder)
  const order = new LruOrder(folder)
  const used = await order.read()
  const found = await sweep(folder)
  found.sort((a, b) => (used.get(a.blob) ?? -1) - (used.get(b.blob) ?? -1) || a.serial - b.serial)
  const kept = new Map<BlobId, Kept>()
  for (const one of found) {
    // An older file was being read when it was fetched again, and stayed until now.
    const older = kept.get(one.blob)
    if (older) await remove(folder, older.file)
    kept.set(one.blob, one.kept)
  }
  await order.tidy([...kept.keys()])
  const lastSerial = Math.max(0, ...found.map(({ serial }) => serial))
  const vault = new BrowserFileVault(options, { folder, order, kept, lastSerial })
  await vault.makeRoom()
  return vault
}

/** Returns the kept files; removes incomplete ones. */
async function sweep(folder: FileSystemDirectoryHandle): Promise<Found[]> {
  const found: Found[] = []
  const entries = await Array.fromAsync(folder.values())
  for (const entry of entries) {
    if (!(entry instanceof FileSystemFileHandle)) continue
    const file = entry.name
    if (file.endsWith(PART_SUFFIX)) await remove(folder, file)
    const [blob = '', digest, serial] = file.split('.')
    if (!isBlobId(blob) || digest === undefined || serial === undefined || isStowed(file)) continue
    const { size } = await entry.getFile()
    const kept = { file, title: `${blob}.${digest}`, bytes: size, readers: 0, isDead: false }
    found.push({ blob, serial: Number(serial) || 0, kept })
  }
  return found
}

type VaultState = {
  folder: FileSystemDirectoryHandle
  order: LruOrder
  /** The least recently used first. */
  kept: Map<BlobId, Kept>
  lastSerial: number
}

class BrowserFileVault implements FileVault {
  readonly #options: BrowserVaultOptions
  readonly #folder: FileSystemDirectoryHandle
  readonly #order: LruOrder
  readonly #kept: Map<BlobId, Kept>
  #keptBytes = 0
  #lastSerial: number

  constructor(options: BrowserVaultOptions, { folder, order, kept, lastSerial }: VaultState) {
    this.#options = options
    this.#folder = folder
    this.#order = order
    this.#kept = kept
    this.#lastSerial = lastSerial
    for (const { bytes } of kept.values()) this.#keptBytes += bytes
  }

  get keptBytes(): number {
    return this.#keptBytes
  }

  kept(): Map<BlobId, number> {
    return new Map([...this.#kept].map(([blob, { bytes }]) => [blob, bytes]))
  }

  async createPart(): Promise<VaultPart> {
    this.#lastSerial += 1
    const serial = this.#lastSerial
    const name = `${serial}${PART_SUFFIX}`
    const entry = await coded(this.#folder.getFileHandle(name, { create: true }))
    const handle = await coded(whileHeld(() => accessHandle(entry)))
    let state: PartState = { kind: 'part' }
    return {
      read: async (into, at) => {
        if (state.kind === 'kept' || state.kind === 'stowed') return await readFrom(state.file, { into, at })
        return state.kind === 'part' ? handle.read(into, { at }) : 0
      },
      write: async (bytes, at) => await this.#write(handle, { bytes, at }),
      keep: async wanted => {
        const kept = await coded(this.#keep(entry, { handle, wanted, serial }))
        state = { kind: 'kept', kept, file: await coded(entry.getFile()) }
        await this.makeRoom()
      },
      stow: async id => {
        handle.flush()
        // An open file cannot be renamed.
        handle.close()
        await coded(renameFile(entry, stowedName(id)))
        state = { kind: 'stowed', file: await coded(entry.getFile()) }
      },
      release: async () => {
        const before = state
        state = { kind: 'released' }
        if (before.kind === 'released') return
        // Closing twice is no error.
        handle.close()
        if (before.kind === 'part') await coded(remove(this.#folder, name))
        if (before.kind === 'kept') await this.#readerLeaves(before.kept)
      },
    }
  }

  lengthOf(name: VaultName): number | undefined {
    const kept = this.#kept.get(name.blob)
    return kept?.title === titleOf(name) ? kept.bytes : undefined
  }

  async open(name: VaultName): Promise<VaultFile | undefined> {
    const kept = this.#kept.get(name.blob)
    if (kept?.title !== titleOf(name)) return undefined
    kept.readers += 1
    // A File and not an access handle: a file has one handle at a time, but several readers.
    const file = await coded(absentIsFine(this.#fileOf(kept)))
    if (!file) {
      if (this.#kept.get(name.blob) === kept) this.#forget(name.blob, kept)
      return undefined
    }
    await this.#use(name.blob, kept)
    let isOpen = true
    return {
      read: async (into, at) => await readFrom(file, { into, at }),
      close: async () => {
        if (!isOpen) return
        isOpen = false
        await this.#readerLeaves(kept)
        await this.makeRoom()
      },
    }
  }

  async remove(blob: BlobId): Promise<void> {
    const kept = this.#kept.get(blob)
    if (!kept) return
    this.#forget(blob, kept)
    // Readers continue to read it: a removed file could not be read any more.
    kept.isDead = true
    if (kept.readers === 0) await coded(remove(this.#folder, kept.file))
  }

  async openStowed(id: LocalFileId): Promise<VaultFile | undefined> {
    return await openStowed(this.#folder, id)
  }

  async removeStowed(id: LocalFileId): Promise<void> {
    await coded(remove(this.#folder, stowedName(id)))
  }

  async stowed(): Promise<LocalFileId[]> {
    return await stowedIn(this.#folder)
  }

  /** Files that are being read stay, and so does the newest, which is about to be read. */
  async makeRoom(): Promise<void> {
    let older = this.#kept.size - 1
    if (older <= 0) return
    const bytesMax = await this.#bytesMax()
    for (const [blob, { readers }] of this.#kept) {
      if (this.#keptBytes <= bytesMax || older-- <= 0) return
      if (readers === 0) await this.remove(blob)
    }
  }

  /** No more than it leaves free: files that can be fetched again must not use up the space that the database needs. */
  async #bytesMax(): Promise<number> {
    const { bytesMax, freeBytes = freeQuotaBytes } = this.#options
    return Math.min(bytesMax, (this.#keptBytes + (await freeBytes())) / 2)
  }

  /** On a full disk, kept files are evicted first, the least recently used first, before a write fails. */
  async #write(handle: AccessHandle, { bytes, at }: { bytes: Uint8Array; at: number }): Promise<void> {
    for (;;) {
      try {
        return writeAll(handle, { bytes, at })
      } catch (error) {
        // Without methods of iterators, which browsers have later than all else that is used here.
        const [oldest] = [...this.#kept].find(([, { readers }]) => readers === 0) ?? []
        if (!isFull(error) || oldest === undefined) throw browserFault(error)
        await this.remove(oldest)
      }
    }
  }

  /** A new name each time: a file that is still read under the same title must not change. */
  async #keep(entry: FileSystemFileHandle, { handle, wanted, serial }: Keeping): Promise<Kept> {
    const title = titleOf(wanted)
    const file = `${title}.${serial}`
    await this.remove(wanted.blob)
    const bytes = handle.getSize()
    handle.flush()
    // An open file cannot be renamed.
    handle.close()
    await renameFile(entry, file)
    // Its writer can read it until it is released.
    const kept = { file, title, bytes, readers: 1, isDead: false }
    this.#kept.set(wanted.blob, kept)
    this.#keptBytes += bytes
    await this.#order.note(wanted.blob)
    return kept
  }

  async #fileOf({ file }: Kept): Promise<File> {
    return await (await this.#folder.getFileHandle(file)).getFile()
  }

  async #readerLeaves(kept: Kept): Promise<void> {
    kept.readers -= 1
    if (kept.isDead && kept.readers === 0) await coded(remove(this.#folder, kept.file))
  }

  async #use(blob: BlobId, kept: Kept): Promise<void> {
    // Unless it was removed meanwhile.
    if (this.#kept.get(blob) !== kept) return
    this.#kept.delete(blob)
    this.#kept.set(blob, kept)
    await this.#order.note(blob)
  }

  #forget(blob: BlobId, kept: Kept): void {
    this.#kept.delete(blob)
    this.#keptBytes -= kept.bytes
  }
}

type Keeping = { handle: AccessHandle; wanted: VaultName; serial: number }
type PartState =
  | { kind: 'part' }
  | { kind: 'kept'; kept: Kept; file: File }
  | { kind: 'stowed'; file: File }
  | { kind: 'released' }

/** Letters and digits only, whatever a message says: it must not name a file elsewhere. */
function titleOf({ blob, digest }: VaultName): string {
  if (!isBlobId(blob)) throw new CodedError('file-damaged')
  return `${blob}.${toBase32(digest.subarray(0, DIGEST_BYTES))}`
}

async function remove(folder: FileSystemDirectoryHandle, file: string): Promise<void> {
  await whileHeld(() => absentIsFine(folder.removeEntry(file)))
}

function writeAll(handle: AccessHandle, { bytes, at }: { bytes: Uint8Array; at: number }): void {
  for (let written = 0; written < bytes.length; ) {
    const rest = bytes.subarray(written)
    const count = handle.write(rest, { at: at + written })
    assertWritten(count, rest)
    written += count
  }
}

/** If the browser does not report it, only the limit counts. */
async function freeQuotaBytes(): Promise<number> {
  const { quota = Infinity, usage = 0 } = await navigator.storage.estimate()
  return Math.max(0, quota - usage)
}
