// The campaign against relays on one database in small: every kind of fault once, and a relay that is stopped past its
// timeouts.
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { test } from 'vitest'
import { faultNames } from '../src/relays/faults/schedule.ts'
import { runRelays } from '../src/relays/run-relays.ts'
import { expectNothingWrong } from './short-run.ts'

/** Every kind once, and a relay that is stopped for long. */
const KILLS = faultNames.length + 1

if (!findPostgres()) console.warn(POSTGRES_MISSING)

test.skipIf(!findPostgres())(
  '[RELAY-7.21] [RELAY-7.44] kills of relays, fan-out and database, storms, failovers and a cut network, among pairs, groups of 20 and of 200: every mailbox has what it must, once and in one order',
  async () => {
    await expectNothingWrong(surroundings => runRelays({ ...surroundings, kills: KILLS, size: 'short' }))
  },
  900_000,
)
