// An invalid command line: shown in one sentence, followed by a hint.
import { type ParseArgsConfig, parseArgs } from 'node:util'

export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/** Options only: a positional argument is an error. */
export function parseOptions<const Wanted extends Options>(argv: readonly string[], options: Wanted) {
  try {
    return parseArgs({ args: [...argv], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error))
  }
}
