// What the system and SQLite say when a disk is full, dead or read-only, or descriptors are used up, as errors of ours.
import { CodedError, type ErrorCode } from './errors.ts'

const faults: [pattern: RegExp, code: ErrorCode][] = [
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, 'storage-full'],
  [/^(EMFILE|ENFILE)$/, 'descriptors-used-up'],
  [/^(EIO|EROFS|EFBIG|ENXIO|ENODEV|ESTALE|EUCLEAN|ENOTCONN|ETXTBSY)$/, 'storage-failed'],
  [/^SQLITE_(IOERR|READONLY|CANTOPEN|PROTOCOL)/, 'storage-failed'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'database-damaged'],
]

export const systemCodeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Everything else stays what it is. */
export function systemFault(error: unknown): unknown {
  if (error instanceof CodedError) return error
  const said = systemCodeOf(error)
  const found = faults.find(([pattern]) => pattern.test(said))
  return found ? new CodedError(found[1], {}, { cause: error }) : error
}
