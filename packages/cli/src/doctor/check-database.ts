// With --deep: reads the whole database, as a consistent copy, so that nobody who uses it waits or is locked out.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isCoded, systemCodeOf } from '@postern/protocol'
import { type DataKind, kindIn } from '../backup/data-kinds.ts'
import { removeGently } from '../backup/file-pieces.ts'
import { bytesText } from '../backup/progress.ts'
import { gatherCopy, makeScratch } from '../backup/scratch-copy.ts'
import type { ProcessState } from './ask-running.ts'
import { clauseOf, type Diagnosis, fail, messageOf, ok, warn } from './finding.ts'
import type { Machine } from './machine.ts'

type DatabaseCase = { directory: string; machine: Machine; running: ProcessState<unknown>; isDeep: boolean }

export async function checkDatabase({ directory, machine, running, isDeep }: DatabaseCase): Promise<Diagnosis[]> {
  if (!isDeep) return []
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
