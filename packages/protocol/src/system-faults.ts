// Converts errors of the system and SQLite (a full, dead or read-only disk, no descriptors left) to our errors.
import { CodedError, type ErrorCode } from './errors.ts'

const faults: [pattern: RegExp, code: ErrorCode][] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, 'storage-full'],
  [/^(EMFILE|ENFILE)$/, 'descriptors-used-up'],
  [/^(EIO|EROFS|EFBIG|ENXIO|ENODEV|ESTALE|EUCLEAN|ENOTCONN|ETXTBSY)$/, 'storage-failed'],
  // SQLite calls an unreadable page damaged. Code that has checked the database throws `database-damaged`.
  [/^SQLITE_(IOERR|READONLY|CANTOPEN|PROTOCOL|CORRUPT|NOTADB)/, 'storage-failed'],
]

export const systemCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Other errors stay as they are. */
export function systemFault(error: unknown): unknown {
  if (error instanceof CodedError) return error
  const said = systemCodeOf(error)
  const found = faults.find(([pattern]) => pattern.test(said))
  return found ? new CodedError(found[1], {}, { cause: error }) : error
}
