// Fills mailboxes in turns that are bounded by references,
// so that a turn that took too long can be retried as a smaller one.

export const fanOutTurns = `
  -- A relay that fills mailboxes knows only whole rows until its statement ends. This step waits for it.
  SELECT pg_advisory_xact_lock(3, 1);

  -- The row is divided: the accounts up to this one have their reference already, at this position. One row at most is so.
  ALTER TABLE outbox ADD COLUMN placed_up_to integer, ADD COLUMN pos bigint;
  CREATE INDEX outbox_divided ON outbox (id) WHERE pos IS NOT NULL;
  CREATE INDEX outbox_group ON outbox (chat_group);

  -- One turn places at most references_max references. Positions are assigned here and in append_batch alone, under a lock
  -- that its holder keeps until its commit: a reader that has seen one position has seen every lower one of its mailbox.
  -- Rows are found by a scan of the outbox, because ids become visible out of order. Rows of one group become visible in
  -- order, because of its lock, and every turn takes the oldest rows of a group first.
  -- A statement that waits for the lock for long is given up as a failure of the lock (55P03), not of its work (57014).
  CREATE FUNCTION fan_out_turn(references_max integer, told text)
  RETURNS TABLE (placed bigint, waiting bigint, grown integer[], took_ms double precision) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    patience text := current_setting('lock_timeout');
    locked_at timestamptz;
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
    IF NOT EXISTS (SELECT 1 FROM outbox) THEN
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
    SELECT id INTO divided FROM outbox WHERE pos IS NOT NULL;

    -- Two orders share a turn: by age, and by what the chat itself has waiting, so that small chats do not wait behind a
    -- flood into large ones, and large ones do not wait for ever. A row's place in both only rises along its group.
    -- The size counts everybody who is or was a member: it may be too large, never too small.
    WITH oldest AS MATERIALIZED (
        SELECT id, chat_group, cardinality(recipients) AS named FROM outbox ORDER BY id LIMIT 8 * references_max),
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

  -- For relays of the version before, and for a batch that places its own rows: fewer than rows_max are done when nothing
  -- waits any more.
  CREATE OR REPLACE FUNCTION fan_out(rows_max integer, told text) RETURNS TABLE (done bigint, grown integer[])
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    RETURN QUERY SELECT CASE WHEN t.waiting > 0 THEN rows_max::bigint ELSE least(t.placed, rows_max - 1) END, t.grown
      FROM fan_out_turn(4000, told) t;
  END $$;
`
