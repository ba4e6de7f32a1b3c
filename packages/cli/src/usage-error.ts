// A command line that is wrong: shown in one line, with the usage behind it.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/** Options only: an argument that is none is refused. */
export function parseOptions<const Wanted extends Options>(argv: readonly string[], options: Wanted) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}
