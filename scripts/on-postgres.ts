// The test files that run a second time with their relays on PostgreSQL: the end-to-end ones, and those of packages
// that depend on the store.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'
import { isCampaign } from '@postern/testkit/random'

const END_TO_END = 'e2e/test/**/*.test.ts'

/** All other end-to-end tests are run again, including new ones. The reasons why these are not: */
export const RUN_ONCE: Readonly<Record<string, string>> = {
  'e2e/test/browser-core.test.ts': 'is about what a browser keeps; what its people say goes the way of everybody else',
  'e2e/test/examples.slow.test.ts': 'bots of examples/ know the gateway alone, and take half a minute of both cores',
  'e2e/test/examples-echo.slow.test.ts':
    'bots of examples/ know the gateway alone, and take half a minute of both cores',
  'e2e/test/python-sdk.slow.test.ts': 'its bots know the gateway alone',
  'e2e/test/hostile-blobs.test.ts': 'is about what clients believe of a relay; the store decides nothing',
  'e2e/test/hostile-entries.test.ts': 'is about what clients believe of a relay; the store decides nothing',
  'e2e/test/hostile-relay.test.ts': 'is about what clients believe of a relay; the store decides nothing',
  'e2e/test/hostile-keys.test.ts': 'is about what clients believe of a relay; the store decides nothing',
  'e2e/test/hostile-members.test.ts': 'is about what clients believe of members; the store decides nothing',
  'e2e/test/unsteady-deeds.test.ts': 'is about clients; unsteady.test.ts has the same relay on both stores',
  'e2e/test/kill-group.slow.test.ts': 'has its relays on PostgreSQL in the first run',
  'e2e/test/kill-relays.slow.test.ts': 'has its relays on PostgreSQL in the first run',
  'e2e/test/shared-blobs.test.ts': 'has its relays on PostgreSQL in the first run',
  'e2e/test/store-moves.test.ts': 'moves a relay from SQLite to PostgreSQL and back in the first run',
  'e2e/test/stored/landed-schemas.test.ts':
    'opens data directories that programs of landed commits have left, with a relay.db in them',
  'e2e/test/stored/stored-versions.test.ts':
    'opens data directories that older versions have left, with a relay.db in them',
  'e2e/test/prometheus.slow.test.ts':
    'is about the example for Prometheus; what relays on PostgreSQL serve is in monitoring.test.ts',
}

/** These run again only in a campaign (`npm run campaign -- tests`): */
export const RUN_AGAIN_IN_CAMPAIGNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['kill.slow', 'kill-edits.slow', 'kill-files.slow', 'kill-restore.slow'].map(name => [
      `e2e/test/${name}.test.ts`,
      'kill-group and kill-relays kill relays on PostgreSQL, and the database itself',
    ]),
  ),
  'e2e/test/big-mailbox.slow.test.ts': 'the contract of stores has pages of a mailbox; filling this one takes a minute',
}

const relay = [
  'authenticate',
  'blobs',
  'blobs-uploads',
  'clock-set',
  'connections',
  'delete-account',
  'envelopes',
  'follow',
  'kill',
  'metrics',
  'operator',
  'profiles',
  'push',
  'push-calls',
  'push-cost',
  'registration',
  'stop',
  'registered-connections',
].map(name => `packages/relay/test/${name}.test.ts`)

const people = ['packages/core/test/restored-relay.test.ts']

export function onBothStores(): string[] {
  const endToEnd = globSync(END_TO_END, { cwd: join(import.meta.dirname, '..') })
  const once = isCampaign() ? RUN_ONCE : { ...RUN_ONCE, ...RUN_AGAIN_IN_CAMPAIGNS }
  return [...endToEnd.filter(file => !Object.hasOwn(once, file)), ...relay, ...people]
}

/** None without PostgreSQL, with a warning. */
export function filesOnPostgres(): string[] {
  if (findPostgres() !== undefined) return onBothStores()
  console.warn(`${POSTGRES_MISSING} Relays are tried on SQLite alone.`)
  return []
}
