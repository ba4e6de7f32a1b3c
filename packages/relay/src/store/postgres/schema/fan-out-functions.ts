// Functions that fill mailboxes from the log: one turn is one statement, so its caller may stop or die at any moment.

export const fanOutFunctions = `
  -- Whoever fans out does so alone. Positions are given here and nowhere else, in the order in which mailboxes grow: a reader
  -- that has seen one has seen all below it. Rows are found by looking what is there: ids become visible out of order, but
  -- those of one group in order, because of its lock. told: who asks, so that it can pass over its own hints.
  CREATE FUNCTION fan_out(rows_max integer, told text) RETURNS TABLE (done bigint, grown integer[]) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE start bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(3, 1);
    SELECT pos INTO start FROM head;
    WITH gone AS (
        DELETE FROM outbox WHERE id = ANY (ARRAY(SELECT id FROM outbox ORDER BY id LIMIT rows_max))
        RETURNING id, entry, chat_group, seq, kind, sender, recipients),
      placed AS (SELECT gone.*, start + row_number() OVER (ORDER BY id) AS pos FROM gone),
      delivered AS (
        INSERT INTO mailbox (account, pos, entry)
        SELECT m.account, p.pos, p.entry FROM placed p
          JOIN member m ON m.chat_group = p.chat_group AND m.since < p.seq AND (m.until IS NULL OR p.seq <= m.until)
            AND (p.kind = 2 OR m.account <> p.sender)
          WHERE p.recipients IS NULL
        UNION ALL SELECT r, p.pos, p.entry FROM placed p CROSS JOIN LATERAL unnest(p.recipients) r
        RETURNING account),
      passed AS (
        DELETE FROM member m
          USING (SELECT chat_group, max(seq) AS seq FROM placed WHERE kind = 2 GROUP BY chat_group) p
          WHERE m.chat_group = p.chat_group AND m.until <= p.seq AND NOT m.has_left)
      SELECT (SELECT count(*) FROM placed), (SELECT array_agg(DISTINCT account) FROM delivered) INTO done, grown;
    IF done > 0 THEN UPDATE head SET pos = start + done; END IF;
    -- Eight thousand bytes at most in each. In this transaction: a hint can be neither early nor lost behind the commit.
    PERFORM pg_notify('postern_relay', 'grown ' || told || ' ' || list)
      FROM (SELECT string_agg(a::text, ',') AS list
            FROM (SELECT a, (row_number() OVER () - 1) / 700 AS part FROM unnest(grown) a) parts GROUP BY part) hints;
    RETURN NEXT;
  END $$;

  -- For a batch that is small and alone: in its transaction, unless somebody else fans out just now. Gives no row then.
  CREATE FUNCTION fan_out_at_once(rows_own integer, told text) RETURNS TABLE (done bigint, grown integer[])
  LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT pg_try_advisory_xact_lock(3, 1) THEN RETURN; END IF;
    -- Whoever holds it, and why: a sender does not wait for that.
    PERFORM pos FROM head FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN; END IF;
    IF (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT rows_own + 1) waiting) > rows_own THEN RETURN; END IF;
    RETURN QUERY SELECT f.done, f.grown FROM fan_out(rows_own, told) f;
  END $$;
`
