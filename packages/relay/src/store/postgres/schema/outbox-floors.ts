// Where the outbox begins: rows that were removed stay in the way while anybody holds an old snapshot, and a search for
// the oldest row that is left would walk all of them.

export const outboxFloors = `
  -- At once as far as it goes: whoever has read the table would wait for this step to write to it, and this step for it.
  LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
  CREATE INDEX outbox_group_order ON outbox (chat_group, id);
  DROP INDEX outbox_group;

  -- No row of the outbox has an id below this one, and none will.
  --
  -- Ids become visible out of order: a transaction may take one first and end last. Whoever takes an id has its transaction
  -- number already. So the ids up to some time are known to be settled when all transactions are over that had a number at
  -- that time: those below the number that is drawn here, after the last id was read.
  --
  -- The session remembers the floor, then the id and the number that are waited for. All of it ends with the session: a server
  -- that takes over after a failure may give the same ids once more. A transaction that is undone takes the floor back.
  CREATE FUNCTION outbox_floor() RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    known bigint[] := string_to_array(nullif(current_setting('postern.outbox', true), ''), ',')::bigint[];
    from_id bigint := coalesce(known[1], 0);
    last_id bigint := coalesce(pg_sequence_last_value('outbox_id_seq'), 0);
  BEGIN
    -- So few rows are not worth it.
    IF last_id - from_id < 64 THEN RETURN from_id; END IF;
    IF known IS NOT NULL THEN
      IF pg_snapshot_xmin(pg_current_snapshot())::text::bigint < known[3] THEN RETURN from_id; END IF;
      from_id := (SELECT least(min(id), known[2] + 1) FROM outbox WHERE id >= from_id);
    END IF;
    PERFORM set_config('postern.outbox', from_id || ',' || last_id || ',' || pg_current_xact_id(), false);
    RETURN from_id;
  END $$;

  CREATE OR REPLACE FUNCTION fan_out_at_once(rows_own integer, told text) RETURNS TABLE (done bigint, grown integer[])
  LANGUAGE plpgsql AS $$
  DECLARE outbox_from bigint := outbox_floor();
  BEGIN
    IF NOT pg_try_advisory_xact_lock(3, 1) THEN RETURN; END IF;
    IF (SELECT count(*) FROM (SELECT 1 FROM outbox WHERE id >= outbox_from LIMIT rows_own + 1) waiting) > rows_own THEN
      RETURN;
    END IF;
    RETURN QUERY SELECT f.done, f.grown FROM fan_out(rows_own, told) f;
  END $$;

  -- The function of an earlier step, from the floor on.
  CREATE OR REPLACE FUNCTION fan_out_turn(references_max integer, told text)
  RETURNS TABLE (placed bigint, waiting bigint, grown integer[], took_ms double precision) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    patience text := current_setting('lock_timeout');
    locked_at timestamptz;
    outbox_from bigint := outbox_floor();
    whole bigint[];
    next bigint;
    divided bigint;
    taken_size bigint;
    next_size bigint;
    divided_size bigint;
    part_pos bigint;
    delivered bigint;
    last_account integer;
  BEGIN
    -- Without the lock, which would keep batches from placing their own entries. Rows that somebody is placing are still seen.
    IF NOT EXISTS (SELECT 1 FROM outbox WHERE id >= outbox_from) THEN
      placed := 0;
      waiting := 0;
      took_ms := 0;
      RETURN NEXT;
      RETURN;
    END IF;
    PERFORM set_config('lock_timeout', '5s', true);
    PERFORM pg_advisory_xact_lock(3, 1);
    PERFORM set_config('lock_timeout', patience, true);
    locked_at := clock_timestamp();

    -- A row that is larger than a turn is divided, by account. Nothing else gets a position before all of it is placed: a
    -- reader that had seen a higher one would never look for the rest.
    SELECT id INTO divided FROM outbox WHERE pos IS NOT NULL AND id >= outbox_from;

    -- Two orders share a turn: by age, and by what the chat itself has waiting, so that small chats do not wait behind a
    -- flood into large ones, and large ones do not wait for ever. A row's place in both only rises along its group.
    -- The size counts everybody who is or was a member: it may be too large, never too small.
    WITH oldest AS MATERIALIZED (
        SELECT id, chat_group, cardinality(recipients) AS named FROM outbox WHERE id >= outbox_from
        ORDER BY id LIMIT 8 * references_max),
      chats AS MATERIALIZED (
        SELECT chat_group, (SELECT count(*) FROM member m WHERE m.chat_group = c.chat_group) AS members
        FROM (SELECT DISTINCT chat_group FROM oldest WHERE named IS NULL) c),
      sized AS (
        SELECT o.id, o.chat_group, greatest(coalesce(o.named, c.members), 1) AS size
        FROM oldest o LEFT JOIN chats c ON c.chat_group = o.chat_group),
      of_chat AS (SELECT id, size, sum(size) OVER (PARTITION BY chat_group ORDER BY id) AS own FROM sized),
      ranked AS (
        SELECT id, size, least(sum(size) OVER (ORDER BY id), sum(size) OVER (ORDER BY own, id)) AS rank FROM of_chat),
      chosen AS (SELECT id, size, rank, sum(size) OVER (ORDER BY rank, id) AS total FROM ranked)
      SELECT array_agg(id) FILTER (WHERE total <= references_max), (array_agg(id ORDER BY rank, id))[1],
        sum(size) FILTER (WHERE total <= references_max), (array_agg(size ORDER BY rank, id))[1],
        max(size) FILTER (WHERE id = divided), coalesce(sum(size), 0)
      INTO whole, next, taken_size, next_size, divided_size, waiting FROM chosen;
    IF divided IS NOT NULL THEN
      whole := NULL;
      next := divided;
      next_size := divided_size;
    END IF;

    WITH taken AS MATERIALIZED (
        SELECT o.entry, o.chat_group, o.seq, o.kind, o.sender, o.recipients, o.placed_up_to,
          coalesce(o.pos, nextval('position')) AS pos
        FROM (SELECT * FROM outbox WHERE id = ANY (coalesce(whole, ARRAY[next])) ORDER BY id) o),
      inserted AS (
        INSERT INTO mailbox (account, pos, entry)
        SELECT r.account, t.pos, t.entry FROM taken t
          CROSS JOIN LATERAL (
            SELECT m.account FROM member m
            WHERE m.chat_group = t.chat_group AND m.account > coalesce(t.placed_up_to, 0)
              AND m.since < t.seq AND (m.until IS NULL OR t.seq <= m.until) AND (t.kind = 2 OR m.account <> t.sender)
            ORDER BY m.account LIMIT references_max) r
          WHERE t.recipients IS NULL
        UNION ALL
        SELECT r.account, t.pos, t.entry FROM taken t
          CROSS JOIN LATERAL (
            SELECT n.account FROM unnest(t.recipients) AS n (account)
            WHERE n.account > coalesce(t.placed_up_to, 0) ORDER BY n.account LIMIT references_max) r
        RETURNING account)
      SELECT (SELECT count(*) FROM taken), (SELECT max(pos) FROM taken), count(*), max(account), array_agg(DISTINCT account)
      INTO placed, part_pos, delivered, last_account, grown FROM inserted;

    IF whole IS NULL AND delivered = references_max THEN
      UPDATE outbox SET placed_up_to = last_account, pos = part_pos WHERE id = next;
    ELSE
      WITH gone AS (
          DELETE FROM outbox WHERE id = ANY (coalesce(whole, ARRAY[next])) RETURNING chat_group, seq, kind)
        DELETE FROM member m
          USING (SELECT chat_group, max(seq) AS seq FROM gone WHERE kind = 2 GROUP BY chat_group) p
          WHERE m.chat_group = p.chat_group AND m.until <= p.seq AND NOT m.has_left;
      waiting := waiting - coalesce(CASE WHEN whole IS NULL THEN next_size ELSE taken_size END, 0);
    END IF;

    -- Eight thousand bytes at most in each. In this transaction: a hint can be neither early nor lost behind the commit.
    PERFORM pg_notify('postern_relay', 'grown ' || told || ' ' || list)
      FROM (SELECT string_agg(a::text, ',') AS list
            FROM (SELECT a, (row_number() OVER () - 1) / 700 AS part FROM unnest(grown) a) parts GROUP BY part) hints;
    took_ms := extract(epoch FROM clock_timestamp() - locked_at) * 1000;
    RETURN NEXT;
  END $$;
`
