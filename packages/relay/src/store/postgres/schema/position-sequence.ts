// Takes positions from a sequence:
// a row that every append updates would grow a chain of versions while any transaction holds an old snapshot.
import { PARTITION_BITS } from './partition-tables.ts'

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

  -- The function of the step before, except where positions are from, and when a batch places its own entries: if none of
  -- its groups waits. Only a batch that adds to the outbox looks at all of it: rows that were removed stay in the way while
  -- anybody holds a snapshot.
  CREATE OR REPLACE FUNCTION append_batch(
    devices text[], generations bigint[], group_ids text[], rosters bigint[], seqs bigint[], epochs bigint[],
    outbox_max integer, hint text, readers integer[], read_entries integer[],
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    messages bytea, payloads bytea, payload_starts integer[], payload_bytes integer[],
    g_nums integer[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[],
    a_accounts text[], a_cursors bigint[], a_marks bigint[])
  RETURNS TABLE (ids bigint[], is_placed boolean, now_so json) LANGUAGE plpgsql AS $$
  DECLARE
    is_held boolean;
    waiting bigint;
    devices_so bigint;
    groups_so bigint;
    head_pos bigint;
    counted record;
    counted_at integer := 0;
  BEGIN
    -- In the order of all that lock them; one alone needs none.
    IF cardinality(devices) = 1 THEN
      is_held := pg_advisory_xact_lock_shared(hashtextextended(devices[1], 1)) IS NULL;
    ELSE
      PERFORM pg_advisory_xact_lock_shared(k)
        FROM (SELECT DISTINCT hashtextextended(d, 1) AS k FROM unnest(devices) d ORDER BY k) ordered;
    END IF;
    IF cardinality(group_ids) = 1 THEN
      is_held := pg_advisory_xact_lock(hashtextextended(group_ids[1], 2)) IS NULL;
    ELSE
      PERFORM pg_advisory_xact_lock(k)
        FROM (SELECT DISTINCT hashtextextended(g, 2) AS k FROM unnest(group_ids) g ORDER BY k) ordered;
    END IF;

    SELECT
      (SELECT count(*) FROM unnest(devices, generations) AS d (key, generation)
        JOIN device ON device.key = d.key AND device.generation = d.generation),
      (SELECT count(*) FROM unnest(g_nums, rosters, seqs, epochs) AS g (num, roster, seq, epoch)
        JOIN chat_group c ON c.num = g.num AND c.roster = g.roster AND c.seq = g.seq AND c.epoch = g.epoch)
      INTO devices_so, groups_so;
    IF groups_so < cardinality(g_nums) THEN
      now_so := (SELECT json_agg(json_build_object(
          'num', c.num, 'roster', c.roster, 'seq', c.seq, 'epoch', c.epoch, 'lastTs', c.last_ts))
        FROM chat_group c WHERE c.num = ANY (g_nums));
    END IF;
    -- Under the lock, each look is a statement of its own, which sees what was committed before.
    is_placed := false;
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
    IF waiting > outbox_max OR devices_so < cardinality(devices) OR now_so IS NOT NULL THEN
      RETURN NEXT;
      RETURN;
    END IF;

    FOR n IN 1 .. cardinality(e_groups) LOOP
      ids[n] := nextval('entry_id_seq');
    END LOOP;
    INSERT INTO entry (id, chat_group, seq, kind, sender, ts, message, payload)
      SELECT e.id, e.chat_group, e.seq, e.kind, e.sender, e.ts,
        substr(messages, ((e.n - 1) * 20 + 1)::integer, 20), substr(payloads, e.start, e.bytes)
      FROM unnest(ids, e_groups, e_seqs, e_kinds, e_senders, e_ts, payload_starts, payload_bytes)
        WITH ORDINALITY AS e (id, chat_group, seq, kind, sender, ts, start, bytes, n);
    -- In its own partition, a message that comes twice is refused already; see write_batch.
    IF EXISTS (SELECT 1 FROM entry e WHERE e.id < (ids[1] >> ${PARTITION_BITS}) << ${PARTITION_BITS}
      AND e.message = ANY (ARRAY(
        SELECT substr(messages, (n - 1) * 20 + 1, 20) FROM generate_series(1, length(messages) / 20) n)))
    THEN RAISE EXCEPTION 'a message is in the log already' USING ERRCODE = 'unique_violation'; END IF;
    UPDATE chat_group SET seq = g.seq, last_ts = g.ts
      FROM unnest(g_nums, g_seqs, g_ts) AS g (num, seq, ts) WHERE chat_group.num = g.num;

    -- A small batch fills mailboxes itself.
    IF is_placed THEN
      FOR n IN 1 .. cardinality(e_groups) LOOP
        head_pos := nextval('position');
      END LOOP;
      head_pos := head_pos - cardinality(e_groups);
      INSERT INTO mailbox (account, pos, entry)
        SELECT m.account, head_pos + m.n, ids[m.n] FROM unnest(readers, read_entries) AS m (account, n);
      is_held := pg_notify('postern_relay', hint) IS NULL;
    ELSE
      INSERT INTO outbox (entry, chat_group, seq, kind, sender, recipients)
        SELECT e.id, e.chat_group, e.seq, e.kind, e.sender, e.recipients::integer[]
        FROM unnest(ids, e_groups, e_seqs, e_kinds, e_senders, e_recipients)
          WITH ORDINALITY AS e (id, chat_group, seq, kind, sender, recipients, n) ORDER BY e.n;
    END IF;

    IF cardinality(knows) > 0 THEN
      INSERT INTO contact (account, peer) SELECT DISTINCT a, p FROM unnest(knows, known) AS c (a, p) ORDER BY a, p
        ON CONFLICT DO NOTHING;
    END IF;
    -- In the order in which they come, which is that of their accounts.
    FOR counted IN
      INSERT INTO day_bytes (account, day, bytes) SELECT a, d, b FROM unnest(d_accounts, d_days, d_bytes) AS c (a, d, b)
        ON CONFLICT (account) DO UPDATE SET day = excluded.day,
          bytes = excluded.bytes + CASE WHEN day_bytes.day = excluded.day THEN day_bytes.bytes ELSE 0 END
        RETURNING bytes
    LOOP
      counted_at := counted_at + 1;
      IF counted.bytes > d_limits[counted_at] THEN
        RAISE EXCEPTION 'the bytes of the day are used up' USING ERRCODE = 'serialization_failure';
      END IF;
    END LOOP;
    IF cardinality(a_accounts) > 0 THEN
      INSERT INTO progress (account, cursor, mark)
        SELECT account.num, least(a.cursor, coalesce(
          (SELECT max(pos) FROM mailbox WHERE mailbox.account = account.num), 0)), a.mark
        FROM unnest(a_accounts, a_cursors, a_marks) AS a (id, cursor, mark) JOIN account ON account.id = a.id
        ORDER BY account.num
        ON CONFLICT (account) DO UPDATE
          SET cursor = greatest(progress.cursor, excluded.cursor), mark = greatest(progress.mark, excluded.mark);
    END IF;
    RETURN NEXT;
  END $$;
`
