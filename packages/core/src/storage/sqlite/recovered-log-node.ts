// Makes sure that a fresh connection has all of the write-ahead log. The cipher's layer below SQLite hides reads that failed: the log
// then seems to end there, and what was committed behind it would be lost with the next write.
import { copyFileSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CodedError, systemCodeOf } from '@postern/protocol'

const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** The last bit says in which order the words of the checksums are. */
const MAGIC = 0x377f0682

type LogConnection = { close(): void }

/** `lock` makes the connection the only one, and gives the frames that it has read from the log. */
type Opening<Connection extends LogConnection> = { connect(): Connection; lock(connection: Connection): number }

/**
 * Throws `storage-failed`, or what the disk says, when the connection lacks something; the log is as it was then. Without the
 * lock nothing is touched: another process may be using the log, or be about to.
 */
export function withWholeLog<Connection extends LogConnection>(path: string, opening: Opening<Connection>): Connection {
  const log = `${path}-wal`
  restoreLog(log)
  const connection = opening.connect()
  try {
    const frames = opening.lock(connection)
    const isLacking = frames < committedFrames(log) || (keptOf(log).length > 0 && lengthOf(log) === 0)
    if (isLacking) throw new CodedError('storage-failed')
    // Before anything is written: found at a later start, it would bring back what was overwritten since.
    for (const kept of keptOf(log)) rmSync(kept, { force: true })
    return connection
  } catch (error) {
    if (systemCodeOf(error).startsWith('SQLITE_BUSY')) connection.close()
    else giveUp(connection, log)
    throw error
  }
}

/** A connection that lacks something removes the log when it is closed. */
function giveUp(connection: LogConnection, log: string): void {
  // Another process that gives up at the same moment has its own.
  const kept = `${log}-kept-${process.pid}`
  if (lengthOf(log) > 0) keepUnder(log, kept)
  connection.close()
  restoreLog(log)
  rmSync(kept, { force: true })
}

function keptOf(log: string): string[] {
  const start = `${basename(log)}-kept-`
  const names = readdirSync(dirname(log)).filter(name => name.startsWith(start))
  return names.map(name => join(dirname(log), name))
}

/** Of two processes that find it, one is first. */
function restoreLog(log: string): void {
  const [kept] = keptOf(log)
  if (kept === undefined || lengthOf(log) > 0) return
  try {
    renameSync(kept, log)
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error
  }
}

/** Some file systems have no links. */
function keepUnder(log: string, kept: string): void {
  rmSync(kept, { force: true })
  try {
    linkSync(log, kept)
  } catch {
    copyFileSync(log, kept)
  }
}

const lengthOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Up to the last that ends a transaction, as SQLite counts them. */
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
