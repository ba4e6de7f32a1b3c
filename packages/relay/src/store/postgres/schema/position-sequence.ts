// Positions from a sequence: a row that every append updates grows a chain of versions while anybody holds an old snapshot.
import { appendFunctions } from './append-functions.ts'

/**
 * As it was released, but for where positions are from, and for when a batch places its own entries: if none of its groups
 * waits. The whole outbox is looked at only by a batch that adds to it: rows that were removed stay in the way while anybody
 * holds a snapshot. Under the lock, each look is a statement of its own, which sees what was committed before.
 */
const appendBatch = appendFunctions
  .replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')
  .replace('SELECT coalesce((SELECT max(id) FROM outbox) - (SELECT min(id) FROM outbox) + 1, 0),', 'SELECT')
  .replace('INTO waiting, devices_so, groups_so;', 'INTO devices_so, groups_so;')
  .replace(
    'IF waiting > outbox_max OR',
    `is_placed := false;
    waiting := 0;
    IF cardinality(readers) > 0 AND NOT EXISTS (SELECT 1 FROM outbox WHERE chat_group = ANY (g_nums)) THEN
      IF pg_try_advisory_xact_lock(3, 1) THEN
        -- No position is above that of a row that is being placed in parts.
        is_placed := NOT EXISTS (SELECT 1 FROM outbox WHERE pos IS NOT NULL);
      END IF;
    END IF;
    IF NOT is_placed THEN
      waiting := (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox);
    END IF;
    IF waiting > outbox_max OR`,
  )
  .replace(
    /is_placed := false;\s+IF cardinality\(readers\) > 0 AND waiting = 0[^;]+;\s+is_placed := FOUND;\s+END IF;\s+IF is_placed THEN/,
    `IF is_placed THEN
      FOR n IN 1 .. cardinality(e_groups) LOOP
        head_pos := nextval('position');
      END LOOP;
      head_pos := head_pos - cardinality(e_groups);`,
  )

export const positionSequence = `
  -- Nobody assigns positions while this runs.
  SELECT pg_advisory_xact_lock(3, 1);

  -- Whoever takes from it holds the lock above until its commit. So positions become visible in order although a sequence
  -- belongs to no transaction; one that is undone leaves a hole.
  CREATE SEQUENCE position;
  DO $$ BEGIN EXECUTE format('ALTER SEQUENCE position RESTART WITH %s', (SELECT pos + 1 FROM head)); END $$;

  -- For whoever reads the head or sets it, relays of the version before among them. Set, it belongs to its transaction.
  DROP TABLE head;
  CREATE FUNCTION last_position() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM position';
  -- By a function: the rows of a sequence cannot be locked, as an update locks them.
  CREATE VIEW head AS SELECT true AS one, last_position() AS pos;
  CREATE FUNCTION set_head() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('ALTER SEQUENCE position RESTART WITH %s', NEW.pos + 1);
    RETURN NEW;
  END $$;
  CREATE TRIGGER set_head INSTEAD OF UPDATE ON head FOR EACH ROW EXECUTE FUNCTION set_head();

  CREATE OR REPLACE FUNCTION fan_out_at_once(rows_own integer, told text) RETURNS TABLE (done bigint, grown integer[])
  LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT pg_try_advisory_xact_lock(3, 1) THEN RETURN; END IF;
    IF (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT rows_own + 1) waiting) > rows_own THEN RETURN; END IF;
    RETURN QUERY SELECT f.done, f.grown FROM fan_out(rows_own, told) f;
  END $$;

  ${appendBatch}
`
