// The path of a data directory's control socket, as short as the system requires.
import { join, relative, resolve } from 'node:path'
import { CodedError } from '../errors.ts'
import { CONTROL_NAME } from './control-lines.ts'

/** The capacity of a socket address: 104 on macOS and 108 on Linux, including the final zero. */
const ADDRESS_BYTES = 103

/**
 * Relative to the working directory if that is shorter. Throws `database-unusable` for a long path: truncated, it would
 * name another file.
 */
export function controlPath(directory: string): string {
  const whole = join(resolve(directory), CONTROL_NAME)
  const short = [whole, relative(process.cwd(), whole)].find(path => Buffer.byteLength(path) <= ADDRESS_BYTES)
  if (short !== undefined) return short
  const why = `its path is too long for a socket, which allows ${ADDRESS_BYTES - CONTROL_NAME.length - 1} bytes`
  throw new CodedError('database-unusable', { directory, why })
}
