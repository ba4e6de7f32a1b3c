// The store on PostgreSQL: the same rules as any other, on a real server.
import { systemClock } from '@postern/protocol'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { forgetDatabase, preparedDatabase } from '@postern/testkit/test-databases'
import { afterEach, beforeEach, describe } from 'vitest'
import { relayLimits } from '../src/limits/relay-limits.ts'
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts'
import { storeContract } from './store.contract.ts'

const isMissing = findPostgres() === undefined
if (isMissing) console.warn(`${POSTGRES_MISSING} The store on PostgreSQL is not tried.`)

describe.skipIf(isMissing)('a server', () => {
  let database: string
  beforeEach(async () => {
    database = await preparedDatabase()
  })
  afterEach(() => forgetDatabase(database))

  storeContract('PostgreSQL', (limits, wake) =>
    openPostgresStore(database, { directory: '', limits: relayLimits(limits), wake, clock: systemClock }),
  )
})
