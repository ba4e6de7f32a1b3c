// Makes sure that a new connection has read the whole write-ahead log. The cipher's layer below SQLite hides reads that
// failed: the log then seems to end there, and the next write would lose the commits after it.
import { randomBytes } from 'node:crypto'
import { copyFileSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CodedError, systemCodeOf } from '@postern/protocol'

const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** The last bit gives the byte order of the words of the checksums. */
const MAGIC = 0x377f0682

type LogConnection = { close(): void }

/** `lock` makes the connection exclusive, and returns the number of frames that it has read from the log. */
type Opening<Connection extends LogConnection> = { connect(): Connection; lock(connection: Connection): number }

/** Links of this process: a link with its pid that is not in here was left by an earlier process. */
const ownLinks = new Set<string>()

/**
 * Throws `storage-failed`, or the disk's error, when the connection lacks frames; the log is then as it was before. A
 * process that is refused touches neither the log nor another process's copy of it.
 */
export function withWholeLog<Connection extends LogConnection>(path: string, opening: Opening<Connection>): Connection {
  const log = `${path}-wal`
  for (const left of leftLinks(log)) restoreLog(log, left)
  const kept = `${log}-kept-${process.pid}-${randomBytes(4).toString('hex')}`
  ownLinks.add(kept)
  try {
    // A connection that lacks frames removes the log when it is closed.
    if (lengthOf(log) > 0) keepUnder(log, kept)
    return openWhole(log, kept, opening)
  } finally {
    // A link that could not be put back is the only copy of the log: it stays, and the next try puts it back.
    ownLinks.delete(kept)
  }
}

function openWhole<Connection extends LogConnection>(
  log: string,
  kept: string,
  opening: Opening<Connection>,
): Connection {
  const connection = opening.connect()
  try {
    const frames = opening.lock(connection)
    // Counted only now: before, another process may have written to the log, or removed it.
    if (frames < committedFrames(log)) throw new CodedError('storage-failed')
    rmSync(kept, { force: true })
    return connection
  } catch (error) {
    connection.close()
    // The process that holds the database also holds the log.
    if (systemCodeOf(error).startsWith('SQLITE_BUSY')) rmSync(kept, { force: true })
    else restoreLog(log, kept)
    throw error
  }
}

function restoreLog(log: string, kept: string): void {
  try {
    if (lengthOf(log) === 0) renameSync(kept, log)
    else rmSync(kept, { force: true })
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error
  }
}

/** Links of processes that were killed while they gave up, and those that a failing disk did not let be put back. */
function leftLinks(log: string): string[] {
  const start = `${basename(log)}-kept`
  const names = readdirSync(dirname(log)).filter(name => name.startsWith(start))
  return names.map(name => join(dirname(log), name)).filter(path => !isInUse(path))
}

function isInUse(kept: string): boolean {
  const pid = Number(/-kept-(\d+)-/.exec(kept)?.[1] ?? process.pid)
  return pid === process.pid ? ownLinks.has(kept) : isAlive(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // The process belongs to another user.
    return systemCodeOf(error) === 'EPERM'
  }
}

/** Some file systems have no links. */
function keepUnder(log: string, kept: string): void {
  try {
    linkSync(log, kept)
  } catch {
    copyFileSync(log, kept)
  }
}

const lengthOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Counts up to the last frame that ends a transaction, as SQLite does. */
function committedFrames(path: string): number {
  if (lengthOf(path) < HEAD_BYTES) return 0
  const bytes = readFileSync(path)
  const magic = bytes.readUInt32BE(0)
  if (bytes.length < HEAD_BYTES || (magic & ~1) >>> 0 !== MAGIC) return 0
  const sum = new LogSum((magic & 1) === 1)
  sum.add(bytes, 0, 24)
  if (!sum.isAt(bytes, 24)) return 0
  const frameBytes = FRAME_HEAD_BYTES + bytes.readUInt32BE(8)
  let committed = 0
  for (let at = HEAD_BYTES, frame = 1; at + frameBytes <= bytes.length; at += frameBytes, frame++) {
    const isOfThisLog = bytes.compare(bytes, 16, 24, at + 8, at + 16) === 0
    sum.add(bytes, at, 8)
    sum.add(bytes, at + FRAME_HEAD_BYTES, frameBytes - FRAME_HEAD_BYTES)
    if (!isOfThisLog || bytes.readUInt32BE(at) === 0 || !sum.isAt(bytes, at + 16)) break
    if (bytes.readUInt32BE(at + 4) !== 0) committed = frame
  }
  return committed
}

/** The running checksum of a log. */
class LogSum {
  readonly #isBigEndian: boolean
  #first = 0
  #second = 0

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer, from: number, length: number): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + from, length)
    const littleEndian = !this.#isBigEndian
    let first = this.#first
    let second = this.#second
    for (let at = 0; at < length; at += 8) {
      first = (first + view.getUint32(at, littleEndian) + second) >>> 0
      second = (second + view.getUint32(at + 4, littleEndian) + first) >>> 0
    }
    this.#first = first
    this.#second = second
  }

  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second
  }
}
