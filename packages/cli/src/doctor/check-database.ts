// The database: its key and its version if nothing runs, and with --deep all of it, as a consistent copy, so that nobody
// who uses it waits or is locked out.
import { existsSync, statSync } from 'node:fs'
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { doctorLimits, isCoded, systemCodeOf } from '@postern/protocol'
import { type DataKind, hasDatabase, kindIn } from '../backup/data-kinds.ts'
import { removeGently } from '../backup/file-pieces.ts'
import { bytesText } from '../backup/progress.ts'
import { gatherCopy, makeScratch } from '../backup/scratch-copy.ts'
import type { ProcessState } from './ask-running.ts'
import { clauseOf, type Diagnosis, fail, messageOf, ok, warn } from './finding.ts'
import type { Machine } from './machine.ts'

type DatabaseCase = { directory: string; machine: Machine; running: ProcessState<unknown>; isDeep: boolean }

export async function checkDatabase({ directory, machine, running, isDeep }: DatabaseCase): Promise<Diagnosis[]> {
  if (!isDeep) return running.kind === 'nothing' ? await checkHead(directory) : []
  if (running.kind === 'hangs') return [unasked]
  try {
    const kind = kindIn(directory)
    const bytes = statSync(join(directory, kind.database)).size
    if (bytes >= machine.readDisk(directory).freeBytes) return [noRoom(bytes)]
    return [await checkCopy(directory, kind)]
  } catch (error) {
    return [faultOf(error)]
  }
}

/** The next start would find it. Silent if it opens: only a deep check says that it is intact. */
async function checkHead(directory: string): Promise<Diagnosis[]> {
  if (!hasDatabase(directory)) return []
  const kind = kindIn(directory)
  const scratch = await mkdtemp(join(tmpdir(), 'postern-doctor-'))
  try {
    await copyHead(directory, { kind, to: scratch })
    kind.schema(scratch)
    return []
  } catch (error) {
    // A file that may not be read is reported for the directory.
    return systemCodeOf(error) === 'EACCES' ? [] : [headFault(error, { directory, scratch })]
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** As large as the file, with its beginning alone: the rest is a hole, which takes no space. All of the log counts. */
async function copyHead(directory: string, { kind, to }: { kind: DataKind; to: string }): Promise<void> {
  await using from = await open(join(directory, kind.database), 'r')
  await using copy = await open(join(to, kind.database), 'wx', 0o600)
  const head = await from.read({ buffer: Buffer.alloc(doctorLimits.databaseHeadBytes), position: 0 })
  await copy.write(head.buffer, 0, head.bytesRead, 0)
  await copy.truncate((await from.stat()).size)
  for (const name of [`${kind.database}-wal`, ...kind.beside])
    if (existsSync(join(directory, name))) await copyFile(join(directory, name), join(to, name))
}

type CopyPlaces = { directory: string; scratch: string }

function headFault(error: unknown, { directory, scratch }: CopyPlaces): Diagnosis {
  // The error names the copy, which is gone.
  const reason = messageOf(error).replaceAll(scratch, directory)
  if (isCoded(error, 'database-key-missing')) {
    const text = `there is a database in ${directory}, but no db.key`
    return fail('database', { text, todo: 'restore db.key from a backup: without it nothing can read the database' })
  }
  if (isCoded(error, 'database-key-wrong')) {
    const text = `db.key in ${directory} does not open the database`
    return fail('database', {
      text,
      todo: 'restore the db.key that belongs to it, or the whole directory from a backup',
    })
  }
  if (isCoded(error, 'database-newer')) {
    const text = `a newer version of Postern wrote the database in ${directory}`
    return fail('database', { text, todo: 'install that version: postern --version prints the one that you have' })
  }
  if (isCoded(error, 'database-too-old')) {
    const text = `the tables of the database in ${directory} are too old for this version`
    return fail('database', { text, todo: reason })
  }
  return fail('database', { text: `the database in ${directory} cannot be opened`, todo: reason })
}

async function checkCopy(directory: string, kind: DataKind): Promise<Diagnosis> {
  const scratch = await makeScratch(directory)
  try {
    await gatherCopy(directory, { kind, scratch })
    const { schema } = kind.check(scratch)
    return ok('database', `intact, with tables of version ${schema}`)
  } finally {
    await removeGently(scratch)
  }
}

/** The process would have to hold the file still, and does not answer. */
const unasked = warn('database', {
  text: 'not checked: the process that has it open does not answer',
  todo: 'restart that process, and run the doctor again',
})

const noRoom = (bytes: number): Diagnosis =>
  warn('database', {
    text: `not checked: a copy needs ${bytesText(bytes)}, and the disk has less free space`,
    todo: 'make room',
  })

function faultOf(error: unknown): Diagnosis {
  if (isCoded(error, 'bad-field')) return warn('database', { text: clauseOf(error), todo: 'start it once' })
  if (isCoded(error, 'database-locked')) {
    const text = 'a process that does not answer on the control socket has it open'
    return warn('database', { text, todo: 'stop that process, and run the doctor again' })
  }
  if (isCoded(error, 'backup-running', 'backup-overtaken', 'not-running'))
    return warn('database', { text: 'not checked', todo: messageOf(error) })
  const todo = 'stop the process, leave the directory unchanged, and restore a backup into another one (docs/backup.md)'
  if (isCoded(error, 'database-key-wrong', 'database-key-missing'))
    return fail('database', { text: clauseOf(error), todo })
  if (isDamaged(error)) return fail('database', { text: 'the database is damaged', todo })
  return fail('database', { text: 'the check failed', todo: messageOf(error) })
}

/** Damage that shows on opening is reported for the directory. */
const isDamaged = (error: unknown): boolean =>
  isCoded(error, 'database-damaged') ||
  (isCoded(error, 'database-unusable') && systemCodeOf(error.cause).startsWith('SQLITE_CORRUPT'))
