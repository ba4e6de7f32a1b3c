// Errors about a path in a command, in words for its user.
import { CodedError } from '@postern/protocol'

export const badPath = (rule: string): CodedError => new CodedError('bad-field', { field: 'path', rule })

/** Converts an error of the file system. */
export function fileFault(error: unknown, doing: 'read' | 'written'): CodedError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return badPath(doing === 'read' ? 'does not exist' : 'is in a directory that does not exist')
    case 'EISDIR':
      return badPath('must be a file')
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return badPath(`it may not be ${doing} by this user`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new CodedError('storage-full', {}, { cause: error })
    default:
      return badPath(`it cannot be ${doing}${code && ` (${code})`}`)
  }
}
