// Reads and writes files piece by piece: however large a file is, little of it is in memory.
import { type FileHandle, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { backupLimits, CodedError, pause, systemClock } from '@postern/protocol'

/** Each piece is a separate buffer. Throws when the file ends too early. */
export async function* piecesOf(handle: FileHandle, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(backupLimits.pieceBytes, bytes - at))
    const { bytesRead } = await handle.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw new CodedError('storage-failed')
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** A new file, for its owner alone; on the disk when it resolves. */
export async function writeNew(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    let unsyncedBytes = 0
    for await (const piece of content) {
      await handle.appendFile(piece)
      unsyncedBytes += piece.length
      if (unsyncedBytes < backupLimits.syncAfterBytes) continue
      await handle.datasync()
      unsyncedBytes = 0
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Without this a power cut can lose the name of a file whose bytes are safe. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes a folder of plain files. Large ones are truncated in steps first. */
export async function removeGently(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) await shorten(join(folder, name))
  await rm(folder, { recursive: true, force: true })
}

async function shorten(path: string): Promise<void> {
  const never = new AbortController().signal
  for (let { size } = await stat(path); size > backupLimits.removeStepBytes; ) {
    size -= backupLimits.removeStepBytes
    await truncate(path, size)
    await pause(systemClock, backupLimits.removePauseMs, never)
  }
}
