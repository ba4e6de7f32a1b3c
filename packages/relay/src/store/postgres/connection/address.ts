// The address of a PostgreSQL, as an operator writes it.
import { serverAddresses } from './servers.ts'

/** Throws `bad-field` without the invalid value, which may contain a password. */
export function databaseAddress(text: string | undefined): string | undefined {
  if (text !== undefined) serverAddresses(text)
  return text
}
