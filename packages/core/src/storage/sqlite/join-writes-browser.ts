// Joins writes of a commit: SQLite writes its log frame by frame,
// each in two pieces, and a call costs more than its bytes.
import { clientLimits } from '@postern/protocol'
import { type AccessHandle, assertWritten } from './opfs-browser.ts'

/** SQLite writes nothing else of this size: the header of a frame, followed by its page and the next header. */
const HEAD_BYTES = 24

type Pending = { handle: AccessHandle; at: number; length: number }

/**
 * Holds consecutive frames and writes them as one: before any other access to a file, and in the returned function,
 * which must be called after each commit. A commit that waits for the disk flushes, and so fails if they cannot be
 * written. One that does not wait has succeeded by then: its frames are kept, read from here, and the next access tries
 * to write them again. If the worker ends, they are lost as in a power failure. Call this once.
 */
export function joinFrameWrites(handles: AccessHandle): () => void {
  const { write, read, flush, truncate, getSize, close } = handles
  let pending: Pending | undefined
  let buffer = new Uint8Array(1 << 16)

  const settle = (): void => {
    if (!pending) return
    const bytes = buffer.subarray(0, pending.length)
    const count = write.call(pending.handle, bytes, { at: pending.at })
    assertWritten(count < bytes.length ? 0 : count, bytes)
    pending = undefined
  }
  const isSettled = (): boolean => {
    try {
      settle()
      return true
    } catch {
      return false
    }
  }
  const append = (to: Pending, bytes: Uint8Array): number => {
    const length = to.length + bytes.length
    if (length > buffer.length) {
      const larger = new Uint8Array(2 * length)
      larger.set(buffer.subarray(0, to.length))
      buffer = larger
    }
    buffer.set(bytes, to.length)
    to.length = length
    return bytes.length
  }
  const follows = (handle: AccessHandle, at: number): boolean =>
    pending?.handle === handle &&
    at === pending.at + pending.length &&
    pending.length < clientLimits.joinedWriteBytesMax

  handles.write = function (this: AccessHandle, bytes, options) {
    if (pending && follows(this, options.at)) return append(pending, bytes)
    settle()
    if (bytes.length !== HEAD_BYTES) return write.call(this, bytes, options)
    pending = { handle: this, at: options.at, length: 0 }
    return append(pending, bytes)
  }
  handles.read = function (this: AccessHandle, into, options) {
    const isWhole = isSettled()
    const count = read.call(this, into, options)
    if (isWhole || pending?.handle !== this) return count
    return overlay({ into, at: options.at, count }, { at: pending.at, bytes: buffer.subarray(0, pending.length) })
  }
  handles.getSize = function (this: AccessHandle) {
    const isWhole = isSettled()
    const size = getSize.call(this)
    return isWhole || pending?.handle !== this ? size : Math.max(size, pending.at + pending.length)
  }
  handles.flush = function (this: AccessHandle) {
    settle()
    flush.call(this)
  }
  handles.truncate = function (this: AccessHandle, size) {
    settle()
    truncate.call(this, size)
  }
  handles.close = function (this: AccessHandle) {
    if (!isSettled() && pending?.handle === this) pending = undefined
    close.call(this)
  }
  return () => void isSettled()
}

type Reading = { into: Uint8Array; at: number; count: number }

/** Lays bytes that are not written yet over bytes that were read. Returns how many bytes of `into` are valid. */
function overlay({ into, at, count }: Reading, over: { at: number; bytes: Uint8Array }): number {
  const end = Math.min(into.length, over.at + over.bytes.length - at)
  // A file that is written beyond its end has zeros in between.
  if (end > count) into.fill(0, count, end)
  const from = Math.max(0, over.at - at)
  if (from < end) into.set(over.bytes.subarray(at + from - over.at, at + end - over.at), from)
  return Math.max(count, end)
}
