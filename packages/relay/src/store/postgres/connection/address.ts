// Where a PostgreSQL is, as an operator says it.
import { serverAddresses } from './servers.ts'

/** Throws `bad-field`. What is wrong is not shown: there may be a password in it. */
export function databaseAddress(text: string | undefined): string | undefined {
  if (text !== undefined) serverAddresses(text)
  return text
}
