// Reads the write-ahead log of a database: how much of it is committed, and what is cut off after that.
import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { CodedError } from './errors.ts'

const LOG_HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
const PAGE_SIZE_AT = 8

/** Frames of committed transactions. Reads memory alone. */
export function framesIn(connection: { pragma(sql: string): unknown }): number | undefined {
  try {
    const [{ log } = { log: -1 }] = connection.pragma('wal_checkpoint(NOOP)') as { log: number }[]
    return log < 0 ? undefined : log
  } catch {
    return undefined
  }
}

/** Frames after the given number are no longer valid. */
export function cutLog(path: string, frames: number | undefined): void {
  if (frames === undefined) return
  const length = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (length === 0) return
  const kept = frames === 0 ? 0 : LOG_HEAD_BYTES + frames * (FRAME_HEAD_BYTES + pageBytesIn(path))
  if (kept < length) truncateSync(path, kept)
}

function pageBytesIn(path: string): number {
  const descriptor = openSync(path, 'r')
  try {
    const head = Buffer.alloc(LOG_HEAD_BYTES)
    if (readSync(descriptor, head, 0, head.length, 0) < head.length) throw new CodedError('storage-failed')
    return head.readUInt32BE(PAGE_SIZE_AT)
  } finally {
    closeSync(descriptor)
  }
}
