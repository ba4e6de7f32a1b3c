// SQLite3MultipleCiphers in WebAssembly over a pool of OPFS files: the files of one database, held by this worker
// alone.
import initSqlite, { type Database as Connection, type SAHPoolUtil, type Sqlite3Static } from '@evolu/sqlite-wasm'
import { CodedError } from '@postern/protocol'
import { joinFrameWrites } from './join-writes-browser.ts'
import {
  type AccessHandle,
  accessHandle,
  accessHandles,
  assertWritten,
  isFull,
  openFolder,
  whileHeld,
} from './opfs-browser.ts'

/** The database, its write-ahead log, a rollback journal, and one file for migrations. */
const POOL_FILES = 4
/** The pool's own folder within the given one. */
const POOL_FOLDER = '.opaque'
const DATABASE_FILE = '/core.db'
/** In a file of the pool, the content begins here, after its name and a digest. */
const CONTENT_AT = 4096
const PLAIN_HEADER = new TextEncoder().encode('SQLite format 3')
/** The bytes that an import checks and changes: the header's text, and those that say whether there is a log. */
const TOUCHED_BYTES = 20

/** Missing in the types of the package. */
type Sqlite3Mc = Sqlite3Static & {
  capi: { sqlite3mc_vfs_create(realName: string, makeDefault: number): number; sqlite3mc_version(): string }
}
type PoolOptions = Parameters<Sqlite3Static['installOpfsSAHPoolVfs']>[0] & { forceReinitIfPreviouslyFailed: boolean }

let loading: Promise<Sqlite3Mc> | undefined
let poolsOpened = 0
let sawFullQuota = false
let writeJoined = (): void => undefined

/** Whether a write has failed for lack of space since the last call: the pool reports everything as an I/O error. */
export function hasSeenFullQuota(): boolean {
  const seen = sawFullQuota
  sawFullQuota = false
  return seen
}

export class SqlitePool {
  readonly sqlite3: Sqlite3Mc
  readonly #name: string
  readonly #folder: string
  readonly #pool: SAHPoolUtil

  constructor(parts: { sqlite3: Sqlite3Mc; name: string; folder: string; pool: SAHPoolUtil }) {
    this.sqlite3 = parts.sqlite3
    this.#name = parts.name
    this.#folder = parts.folder
    this.#pool = parts.pool
  }

  get hasDatabase(): boolean {
    return this.#pool.getFileNames().includes(DATABASE_FILE)
  }

  get memoryBytes(): number {
    return this.sqlite3.wasm.heap8u().byteLength
  }

  connect(): Connection {
    // The encrypting shim wraps the pool, and has this name.
    const vfs = `multipleciphers-${this.#name}`
    const { capi, oo1 } = this.sqlite3
    capi.sqlite3mc_vfs_create(this.#name, 0)
    return new oo1.DB({ filename: DATABASE_FILE, flags: 'c', vfs })
  }

  /** The encrypted database file, without the content of its log. */
  async exported(): Promise<Uint8Array> {
    return await this.#pool.exportFile(DATABASE_FILE)
  }

  /**
   * Puts an encrypted database there, in place of any other. The pool accepts only files that begin like a plain one,
   * and overwrites two bytes of it, which would break the check of an encrypted page. So the file gets a plain
   * beginning, and the real one is put back while the pool releases its files.
   */
  async replace(bytes: Uint8Array): Promise<void> {
    const accepted = bytes.slice()
    accepted.set(PLAIN_HEADER)
    for (const name of this.#pool.getFileNames()) this.#pool.unlink(name)
    await this.#pool.importDb(DATABASE_FILE, accepted)
    this.#pool.pauseVfs()
    try {
      await putBackBeginning(await openFolder(`${this.#folder}/${POOL_FOLDER}`), bytes.subarray(0, TOUCHED_BYTES))
    } finally {
      await this.#pool.unpauseVfs()
    }
  }

  /** Called after each commit: writes its frames that were held to be joined. */
  committed(): void {
    writeJoined()
  }

  /** Releases the files. */
  close(): void {
    this.#pool.pauseVfs()
  }
}

/**
 * Call this in the one worker that holds the origin's lock: throws `database-locked` when another one has the files.
 */
export async function openSqlitePool(folder: string): Promise<SqlitePool> {
  loading ??= loadSqlite()
  const sqlite3 = await loading
  // Another name each time: under the same one SQLite would return the earlier pool, whose folder may be gone.
  poolsOpened += 1
  const name = `postern-${poolsOpened}`
  const options: PoolOptions = {
    name,
    directory: folder,
    initialCapacity: POOL_FILES,
    forceReinitIfPreviouslyFailed: true,
  }
  await untilFree(await openFolder(`${folder}/${POOL_FOLDER}`))
  const pool = await sqlite3.installOpfsSAHPoolVfs(options)
  return new SqlitePool({ sqlite3, name, folder, pool })
}

/** A pool that gets only some of its files keeps those: nothing could open them in this worker any more. */
async function untilFree(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const entry of folder.values())
    if (entry instanceof FileSystemFileHandle) (await whileHeld(() => accessHandle(entry))).close()
}

async function loadSqlite(): Promise<Sqlite3Mc> {
  keepDatabases()
  noteFullQuota()
  writeJoined = joinFrameWrites(accessHandles())
  const silent = { print: () => undefined, printErr: () => undefined }
  return (await initSqlite(silent)) as Sqlite3Mc
}

/**
 * A pool that cannot open its files, for example because another worker still has them, deletes them all.
 * This prevents that.
 */
function keepDatabases(): void {
  const { prototype } = FileSystemDirectoryHandle
  const { removeEntry } = prototype
  prototype.removeEntry = async function (this: FileSystemDirectoryHandle, name, options) {
    if (name === POOL_FOLDER) throw new CodedError('storage-failed')
    await removeEntry.call(this, name, options)
  }
}

function noteFullQuota(): void {
  const prototype = accessHandles()
  const { write, truncate } = prototype
  const noting = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      sawFullQuota ||= isFull(error)
      throw error
    }
  }
  prototype.write = function (this: AccessHandle, bytes, options) {
    return noting(() => {
      const count = write.call(this, bytes, options)
      assertWritten(count, bytes)
      return count
    })
  }
  prototype.truncate = function (this: AccessHandle, size) {
    noting(() => truncate.call(this, size))
  }
}

async function putBackBeginning(folder: FileSystemDirectoryHandle, beginning: Uint8Array): Promise<void> {
  const wanted = new TextEncoder().encode(`${DATABASE_FILE}\0`)
  for await (const entry of folder.values()) {
    if (!(entry instanceof FileSystemFileHandle)) continue
    const file = await accessHandle(entry)
    try {
      const name = new Uint8Array(wanted.length)
      file.read(name, { at: 0 })
      if (!name.every((byte, at) => byte === wanted[at])) continue
      file.write(beginning.slice(), { at: CONTENT_AT })
      file.flush()
    } finally {
      file.close()
    }
  }
}
