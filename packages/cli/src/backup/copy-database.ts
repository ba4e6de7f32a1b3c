// A consistent copy of a database: taken while its process holds the file still, or under a lock if nothing runs.
import { constants } from 'node:fs'
import { copyFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError, Deferred, isCoded } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import type { DataKind } from './data-kinds.ts'
import { piecesOf, writeNew } from './file-pieces.ts'

/** Called with the bytes so far. */
export type OnBytes = (bytes: number) => void

type Copying = { kind: DataKind; directory: string; to: string; onBytes: OnBytes | undefined }

/** Throws `backup-…`, `database-…`: then there is no usable copy. */
export async function copyDatabase(copying: Copying): Promise<void> {
  const held = await hold(copying.directory)
  if (held) await copyHeld(copying, held)
  else await copyLocked(copying)
}

type Held = { id: unknown; over: Promise<object> }

/** Undefined if nothing runs. */
async function hold(directory: string): Promise<Held | undefined> {
  const held = new Deferred<unknown>()
  const request = { command: 'hold', arguments: {} }
  const over = askControl(directory, { request, onProgress: step => held.resolve('held' in step && step.held) })
  held.settleWith(over)
  try {
    return { id: await held.promise, over }
  } catch (error) {
    if (isCoded(error, 'not-running')) return undefined
    throw error
  }
}

/**
 * In this process, which does not have the database open: the owning process would lose its locks by opening and
 * closing the file. Only the answer to `release` proves that the file did not change until the last byte was read.
 */
async function copyHeld({ kind, directory, to, onBytes }: Copying, { id, over }: Held): Promise<void> {
  const [copied] = await Promise.allSettled([copyByReference(join(directory, kind.database), { to, onBytes })])
  const release = askControl(directory, { request: { command: 'release', arguments: { held: id } } })
  // If the process has ended meanwhile, both fail with the same error.
  const [released] = await Promise.allSettled([release, over])
  if (copied.status === 'rejected') throw copied.reason
  if (released.status === 'rejected') throw lost(released.reason)
}

/** A process that ended in the middle may have written to the file after its restart. */
const lost = (error: unknown): unknown =>
  isCoded(error, 'not-running')
    ? new CodedError(
        'not-running',
        {},
        { message: 'The process ended during the backup, and nothing was kept. Try again.' },
      )
    : error

/** If the file system can: then the copy takes no time and no space. */
async function copyByReference(from: string, { to, onBytes }: Pick<Copying, 'to' | 'onBytes'>): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)
  } catch {
    await rm(to, { force: true })
    await using file = await open(from, 'r')
    await writeNew(to, counted(piecesOf(file, (await file.stat()).size), onBytes))
  }
}

/** The file is closed after the database: closing it earlier would drop the lock. */
async function copyLocked({ kind, directory, to, onBytes }: Copying): Promise<void> {
  const lock = kind.lock(directory)
  const file = await open(join(directory, kind.database), 'r')
  try {
    await writeNew(to, counted(piecesOf(file, (await file.stat()).size), onBytes))
  } finally {
    lock.close()
    await file.close()
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, onBytes: OnBytes | undefined): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    onBytes?.(bytes)
    yield piece
  }
}
