// The test files that run a second time with their relays on PostgreSQL: those in which the relay's store decides what happens.
import { findPostgres, POSTGRES_MISSING } from '@postern/testkit/postgres'

const relay = [
  'authenticate',
  'blobs',
  'blobs-uploads',
  'clock-set',
  'connections',
  'envelopes',
  'follow',
  'kill',
  'operator',
  'profiles',
].map(name => `packages/relay/test/${name}.test.ts`)

const people = [
  'packages/core/test/restored-relay.test.ts',
  'e2e/test/relay-bans.test.ts',
  'e2e/test/relay-invites.test.ts',
  'e2e/test/unsteady.test.ts',
  'e2e/test/unsteady-deeds.test.ts',
  'e2e/test/kill.slow.test.ts',
]

/** None where there is no PostgreSQL, and that is said. */
export function filesOnPostgres(): string[] {
  if (findPostgres() !== undefined) return [...relay, ...people]
  console.warn(`${POSTGRES_MISSING} Relays are tried on SQLite alone.`)
  return []
}
