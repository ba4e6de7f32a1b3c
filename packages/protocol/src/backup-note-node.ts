// The time of the last backup of a data directory, as `postern backup` notes it there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** In a data directory: when its last backup was made, in one line. */
export const BACKUP_NOTE_NAME = 'last-backup'

/** Undefined if there is no note, or if it is not a time. */
export function lastBackupMs(directory: string): number | undefined {
  try {
    const text = readFileSync(join(directory, BACKUP_NOTE_NAME), 'utf8').trim()
    const made = new Date(text)
    return made.toISOString() === text ? made.getTime() : undefined
  } catch {
    return undefined
  }
}

/** For metrics. A clock that was set back makes no backup newer than now. */
export function backupAgeSec(directory: string, nowMs: number): number | undefined {
  const madeMs = lastBackupMs(directory)
  return madeMs === undefined ? undefined : Math.max(0, nowMs - madeMs) / 1000
}
