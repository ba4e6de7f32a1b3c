// Where a PostgreSQL is, as an operator says it.
import { CodedError } from '@postern/protocol'

/** What is wrong is not shown: there may be a password in it. */
export function databaseAddress(text: string | undefined): string | undefined {
  if (text === undefined || /^postgres(ql)?:\/\/./.test(text)) return text
  const rule = 'it is the address of a PostgreSQL, as in postgres://user@host/name'
  throw new CodedError('bad-field', { field: '--database', rule })
}
