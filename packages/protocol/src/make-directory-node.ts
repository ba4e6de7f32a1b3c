// Creates a data directory with its parents. A failure becomes one error that names the directory and the reason.
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { CodedError } from './errors.ts'
import { systemCodeOf } from './system-faults.ts'

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its file system is read-only',
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a file is in the way',
  ENOENT: 'no directory can be created there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  SQLITE_FULL: 'the disk is full',
  SQLITE_CORRUPT: 'its database is damaged. Restore it from a backup',
  SQLITE_NOTADB: 'its database is damaged. Restore it from a backup',
  SQLITE_READONLY: 'its file system is read-only, or this user may not write there',
}

/** For its owner alone. Throws `database-unusable`. */
export function makeDataDirectory(directory: string): void {
  try {
    makeWithParents(resolve(directory))
  } catch (error) {
    throw unusable(directory, error)
  }
}

/** Converts an error of the system or of SQLite while the directory is opened; other errors stay as they are. */
export function unusable(directory: string, error: unknown): unknown {
  const code = systemCodeOf(error)
  if (error instanceof CodedError || code === '') return error
  const known = Object.keys(reasons).find(one => code === one || code.startsWith(`${one}_`))
  const why = known === undefined ? code : reasons[known]
  return new CodedError('database-unusable', { directory, why }, { cause: error })
}

/** One by one: in a directory that cannot hold others, such as /proc, Node's recursive mkdir never ends. */
function makeWithParents(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (!found && dirname(path) !== path) makeWithParents(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the same moment.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}
