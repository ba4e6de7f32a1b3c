// The relay's tables on PostgreSQL, as numbered steps: a released step is never changed, only followed by another.
import { appendEntries } from './append-entries.ts'
import { appendFunctions } from './append-functions.ts'
import { blobLimitTables } from './blob-limit-tables.ts'
import { claimFunctions } from './claim-functions.ts'
import { fanOutFunctions } from './fan-out-functions.ts'
import { fanOutTurns } from './fan-out-turns.ts'
import { firstTables } from './first-tables.ts'
import { forgettingTables } from './forgetting-tables.ts'
import { logEnds } from './log-ends.ts'
import { logFunctions } from './log-functions.ts'
import { outboxFloors } from './outbox-floors.ts'
import { partitionFunctions } from './partition-functions.ts'
import { beforePartitions, partitionTables } from './partition-tables.ts'
import { positionSequence } from './position-sequence.ts'
import { pushTables } from './push-tables.ts'
import { raiseFunctions } from './raise-functions.ts'
import { serialFunctions } from './serial-functions.ts'

export type MigrationStep = {
  readonly sql: string
  /** The oldest version of the schema whose relays may continue beside this one while they are being replaced. */
  readonly usableFrom: number
  /**
   * Slow statements that block nobody:
   * run before the step, each in its own transaction, and repeated if interrupted.
   */
  readonly before?: readonly string[]
}

export const postgresMigrations: readonly MigrationStep[] = [
  { sql: `${firstTables}\n${logFunctions}\n${fanOutFunctions}`, usableFrom: 1 },
  { sql: `${partitionTables}\n${partitionFunctions}`, usableFrom: 1, before: beforePartitions },
  { sql: appendFunctions, usableFrom: 1 },
  { sql: serialFunctions, usableFrom: 1 },
  { sql: forgettingTables, usableFrom: 1 },
  { sql: blobLimitTables, usableFrom: 1 },
  { sql: `${positionSequence}\n${fanOutTurns}`, usableFrom: 1 },
  { sql: claimFunctions, usableFrom: 1 },
  { sql: outboxFloors, usableFrom: 1 },
  { sql: `${logEnds}\n${appendEntries}\n${raiseFunctions}`, usableFrom: 1 },
  { sql: pushTables, usableFrom: 1 },
]
