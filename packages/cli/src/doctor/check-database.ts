// With --deep: the whole database is read, as a copy of one moment, so that nobody who works with it waits or is locked out.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isCoded, systemCodeOf } from '@postern/protocol'
import { type DataKind, kindIn } from '../backup/data-kinds.ts'
import { removeGently } from '../backup/file-pieces.ts'
import { bytesText } from '../backup/progress.ts'
import { gatherCopy, makeScratch } from '../backup/scratch-copy.ts'
import type { Running } from './ask-running.ts'
import { clauseOf, type Finding, fail, messageOf, ok, warn } from './finding.ts'
import type { Machine } from './machine.ts'

type DatabaseCase = { directory: string; machine: Machine; running: Running<unknown>; isDeep: boolean }

export async function lookAtDatabase({ directory, machine, running, isDeep }: DatabaseCase): Promise<Finding[]> {
  if (!isDeep) return []
  if (running.kind === 'hangs') return [unasked]
  try {
    const kind = kindIn(directory)
    const bytes = statSync(join(directory, kind.database)).size
    if (bytes >= machine.readDisk(directory).freeBytes) return [noRoom(bytes)]
    return [await lookAtCopy(directory, kind)]
  } catch (error) {
    return [faultOf(error)]
  }
}

async function lookAtCopy(directory: string, kind: DataKind): Promise<Finding> {
  const scratch = await makeScratch(directory)
  try {
    await gatherCopy(directory, { kind, scratch })
    const { schema } = kind.check(scratch)
    return ok('database', `whole, its tables are of version ${schema}`)
  } finally {
    await removeGently(scratch)
  }
}

/** It would have to let the file stand still, and nobody knows when it will. */
const unasked = warn('database', {
  text: 'it was not looked at: who has it does not answer',
  todo: 'start that again, and look again',
})

const noRoom = (bytes: number): Finding =>
  warn('database', {
    text: `it was not looked at: a copy takes ${bytesText(bytes)}, and so much is not left`,
    todo: 'make room',
  })

function faultOf(error: unknown): Finding {
  if (isCoded(error, 'bad-field')) return warn('database', { text: clauseOf(error), todo: 'start it once' })
  if (isCoded(error, 'database-locked')) {
    const text = 'something has it open that does not answer by the control socket'
    return warn('database', { text, todo: 'stop that, and look again' })
  }
  if (isCoded(error, 'backup-running', 'backup-overtaken', 'not-running'))
    return warn('database', { text: 'it was not looked at', todo: messageOf(error) })
  const todo = 'stop it, keep the directory as it is, and restore a backup into another (docs/backup.md)'
  if (isCoded(error, 'database-key-wrong', 'database-key-missing'))
    return fail('database', { text: clauseOf(error), todo })
  if (isDamaged(error)) return fail('database', { text: 'it is damaged', todo })
  return fail('database', { text: 'it could not be looked at', todo: messageOf(error) })
}

/** Where that shows as soon as it is opened, it is said of the directory. */
const isDamaged = (error: unknown): boolean =>
  isCoded(error, 'database-damaged') ||
  (isCoded(error, 'database-unusable') && systemCodeOf(error.cause).startsWith('SQLITE_CORRUPT'))
