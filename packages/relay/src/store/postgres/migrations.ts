// The relay's tables on PostgreSQL, as numbered steps: a step that was released is never changed, only followed by another.
import { fanOutFunctions } from './fan-out-functions.ts'
import { firstTables } from './first-tables.ts'
import { logFunctions } from './log-functions.ts'
import { serialFunctions } from './serial-functions.ts'

/** `usableFrom`: the oldest version of the schema whose relays may go on beside this one while they are being replaced. */
export type MigrationStep = { readonly sql: string; readonly usableFrom: number }

export const postgresMigrations: readonly MigrationStep[] = [
  { sql: `${firstTables}\n${logFunctions}\n${fanOutFunctions}`, usableFrom: 1 },
  { sql: serialFunctions, usableFrom: 1 },
]
