// The path of a data directory's control socket, as short as the system requires.
import { join, relative, resolve } from 'node:path'
import { CodedError } from '../errors.ts'
import { CONTROL_NAME } from './control-lines.ts'

/** What the address of a socket holds: 104 on macOS and 108 on Linux, with the zero at its end. */
const ADDRESS_BYTES = 103

/** From the working directory where that is shorter. Throws `database-unusable`: cut off, it would be another file's name. */
export function controlPath(directory: string): string {
  const whole = join(resolve(directory), CONTROL_NAME)
  const short = [whole, relative(process.cwd(), whole)].find(path => Buffer.byteLength(path) <= ADDRESS_BYTES)
  if (short !== undefined) return short
  const why = `its path is too long for a socket, which allows ${ADDRESS_BYTES - CONTROL_NAME.length - 1} bytes`
  throw new CodedError('database-unusable', { directory, why })
}
