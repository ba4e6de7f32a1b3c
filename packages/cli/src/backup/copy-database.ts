// A copy of a database that is of one moment: taken while its process lets the file stand still, or under a lock where nothing runs.
import { constants } from 'node:fs'
import { copyFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError, Deferred, isCoded } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import type { DataKind } from './data-kinds.ts'
import { piecesOf, writeNew } from './file-pieces.ts'

type Copying = { kind: DataKind; directory: string; to: string }

/** Throws `backup-…`, `database-…`: there is no copy then that anybody may use. */
export async function copyDatabase(copying: Copying): Promise<void> {
  const held = await hold(copying.directory)
  if (held) await copyHeld(copying, held)
  else await copyLocked(copying)
}

type Held = { id: unknown; over: Promise<object> }

/** Undefined where nothing runs. */
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
 * In this process, which does not have the database: if its own process opened the file and closed it again, its locks would
 * be gone. Only the answer to `release` says that the file stood still until the last byte was read.
 */
async function copyHeld({ kind, directory, to }: Copying, { id, over }: Held): Promise<void> {
  const [copied] = await Promise.allSettled([copyByReference(join(directory, kind.database), to)])
  const release = askControl(directory, { request: { command: 'release', arguments: { held: id } } })
  // Of one that has ended meanwhile both say the same.
  const [released] = await Promise.allSettled([release, over])
  if (copied.status === 'rejected') throw copied.reason
  if (released.status === 'rejected') throw lost(released.reason)
}

/** A process that ended in the middle has perhaps written to the file when it came back. */
const lost = (error: unknown): unknown =>
  isCoded(error, 'not-running')
    ? new CodedError(
        'not-running',
        {},
        { message: 'The process ended during the backup, and nothing was kept. Try again.' },
      )
    : error

/** Where the file system can: then it takes no time and no room. */
async function copyByReference(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE)
  } catch {
    await rm(to, { force: true })
    await using file = await open(from, 'r')
    await writeNew(to, piecesOf(file, (await file.stat()).size))
  }
}

/** The file is closed behind the database: to close it before would drop the lock. */
async function copyLocked({ kind, directory, to }: Copying): Promise<void> {
  const lock = kind.lock(directory)
  const file = await open(join(directory, kind.database), 'r')
  try {
    await writeNew(to, piecesOf(file, (await file.stat()).size))
  } finally {
    lock.close()
    await file.close()
  }
}
