// Ends a relay's connection at the server in the middle of its work: the server itself finds the moment.
import type { PostgresServer } from '@postern/testkit/postgres'

/** The lock of the fan-out, and those of groups and devices. */
const holders = {
  'fan-out-ended': 'classid = 3 AND objid = 1 AND objsubid = 2',
  'writer-ended': 'objsubid = 1',
} as const

const LOOKS = 3_000

/** Once, in the server's own database: the other one belongs to the relays. */
export async function prepareEnding(server: PostgresServer): Promise<void> {
  for (const [kind, condition] of Object.entries(holders))
    await server.sql(`CREATE FUNCTION "${kind}"(looks integer) RETURNS boolean LANGUAGE plpgsql AS $$
      DECLARE victim integer;
      BEGIN
        FOR look IN 1..looks LOOP
          SELECT pid INTO victim FROM pg_locks WHERE locktype = 'advisory' AND granted AND ${condition} LIMIT 1;
          IF victim IS NOT NULL THEN RETURN pg_terminate_backend(victim); END IF;
          PERFORM pg_sleep(0.0005);
        END LOOP;
        RETURN false;
      END $$`)
}

/** False when there was nobody to end. */
export async function endHolder(server: PostgresServer, kind: keyof typeof holders): Promise<boolean> {
  return (await server.sql(`SELECT "${kind}"(${LOOKS})`)) === 't'
}
