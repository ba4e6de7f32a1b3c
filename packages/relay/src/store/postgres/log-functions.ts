// What a batch of writes to the log asks the server: its locks and the state of its groups in one statement, all rows in another.

export const logFunctions = `
  -- A device's newest connection. Waits until what its older ones have under way is settled.
  CREATE FUNCTION claim_device(claimed text, told text) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE given bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(claimed, 1));
    INSERT INTO device (key, generation) VALUES (claimed, 1)
      ON CONFLICT (key) DO UPDATE SET generation = device.generation + 1 RETURNING generation INTO given;
    -- The first connection of all takes nobody's place.
    IF given > 1 THEN
      PERFORM pg_notify('postern_relay', 'device-claimed ' || told || ' ' || claimed || ' ' || given);
    END IF;
    RETURN given;
  END $$;

  -- Locks the devices (shared: they hold off only who claims one anew) and then the groups, each in one order, so that no two
  -- batches wait for each other; then says how all of it stands. Advisory locks: what is refused writes nothing.
  CREATE FUNCTION lock_batch(devices text[], group_ids text[], rosters bigint[], messages bytea, senders integer[])
  RETURNS json LANGUAGE plpgsql AS $$
  DECLARE k bigint;
  BEGIN
    FOR k IN SELECT DISTINCT hashtextextended(d, 1) FROM unnest(devices) d ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock_shared(k);
    END LOOP;
    FOR k IN SELECT DISTINCT hashtextextended(g, 2) FROM unnest(group_ids) g ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(k);
    END LOOP;
    RETURN json_build_object(
      'devices', (SELECT json_agg(json_build_object('device', key, 'generation', generation))
        FROM device WHERE key = ANY (devices)),
      'groups', (SELECT json_agg(json_build_object('num', g.num, 'id', g.id, 'creator', g.creator, 'epoch', g.epoch,
          'seq', g.seq, 'lastTs', g.last_ts, 'roster', g.roster,
          'members', CASE WHEN g.roster IS DISTINCT FROM asked.roster THEN
            (SELECT json_agg(json_build_object('num', m.account, 'id', a.id, 'isIn', m.until IS NULL))
             FROM member m JOIN account a ON a.num = m.account
             WHERE m.chat_group = g.num AND (m.until IS NULL OR m.has_left)) END))
        FROM unnest(group_ids, rosters) AS asked (id, roster) JOIN chat_group g ON g.id = asked.id),
      'known', (SELECT json_agg(json_build_object('message', encode(e.message, 'hex'), 'sender', e.sender,
          'seq', e.seq, 'ts', e.ts))
        FROM (SELECT DISTINCT substr(messages, (n - 1) * 20 + 1, 20) AS message
              FROM generate_series(1, length(messages) / 20) n) asked
        JOIN entry e ON e.message = asked.message),
      'stored', (SELECT json_agg(json_build_object('account', account, 'day', day, 'bytes', bytes))
        FROM day_bytes WHERE account = ANY (senders)),
      'waiting', (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox));
  END $$;

  -- All rows of a batch. Payloads and ids come as one string of bytes each: an array of them would travel as text.
  CREATE FUNCTION write_batch(
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    e_added text[], e_removed text[], messages bytea, payloads bytea, payload_bytes integer[],
    g_nums integer[], g_epochs bigint[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[])
  RETURNS SETOF bigint LANGUAGE plpgsql AS $$
  DECLARE beyond integer;
  BEGIN
    RETURN QUERY WITH given AS (
        SELECT *, sum(bytes) OVER (ORDER BY n) - bytes AS before
        FROM unnest(e_groups, e_seqs, e_kinds, e_senders, e_ts, e_recipients, e_added, e_removed, payload_bytes)
          WITH ORDINALITY AS e (chat_group, seq, kind, sender, ts, recipients, added, removed, bytes, n)),
      logged AS (
        INSERT INTO entry (chat_group, seq, kind, sender, ts, message, payload, added, removed)
        SELECT chat_group, seq, kind, sender, ts,
          CASE WHEN kind <> 3 THEN substr(messages, ((n - 1) * 20 + 1)::integer, 20) END,
          substr(payloads, (before + 1)::integer, bytes), decode(added, 'hex'), decode(removed, 'hex')
        FROM given ORDER BY n
        RETURNING id, chat_group, seq, kind),
      sent AS (
        INSERT INTO outbox (entry, chat_group, seq, kind, sender, recipients)
        SELECT logged.id, given.chat_group, given.seq, given.kind, given.sender, given.recipients::integer[]
        FROM given JOIN logged USING (chat_group, seq, kind) ORDER BY given.n)
      SELECT logged.id FROM given JOIN logged USING (chat_group, seq, kind) ORDER BY given.n;
    UPDATE chat_group SET epoch = g.epoch, seq = g.seq, last_ts = g.ts
      FROM unnest(g_nums, g_epochs, g_seqs, g_ts) AS g (num, epoch, seq, ts) WHERE chat_group.num = g.num;
    -- In one order, as everywhere: two that note the same people would else wait for each other.
    INSERT INTO contact (account, peer) SELECT DISTINCT a, p FROM unnest(knows, known) AS c (a, p) ORDER BY a, p
      ON CONFLICT DO NOTHING;
    -- Another relay may have counted since the batch was judged: then each is judged again alone.
    WITH counted AS (
        INSERT INTO day_bytes (account, day, bytes)
        SELECT a, d, b FROM unnest(d_accounts, d_days, d_bytes) AS c (a, d, b) ORDER BY a
        ON CONFLICT (account) DO UPDATE SET day = excluded.day,
          bytes = excluded.bytes + CASE WHEN day_bytes.day = excluded.day THEN day_bytes.bytes ELSE 0 END
        RETURNING account, bytes)
      SELECT count(*) INTO beyond FROM counted JOIN unnest(d_accounts, d_limits) AS l (account, bytes_max) USING (account)
      WHERE counted.bytes > l.bytes_max;
    IF beyond > 0 THEN RAISE EXCEPTION 'the bytes of the day are used up' USING ERRCODE = 'serialization_failure'; END IF;
  END $$;

  -- The same in one statement, for groups that nobody else has written to since: else nothing is done, and nothing given back.
  CREATE FUNCTION try_batch(
    devices text[], generations bigint[], group_ids text[], rosters bigint[], seqs bigint[], epochs bigint[],
    outbox_max integer,
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    e_added text[], e_removed text[], messages bytea, payloads bytea, payload_bytes integer[],
    g_nums integer[], g_epochs bigint[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[])
  RETURNS SETOF bigint LANGUAGE plpgsql AS $$
  DECLARE k bigint;
  BEGIN
    FOR k IN SELECT DISTINCT hashtextextended(d, 1) FROM unnest(devices) d ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock_shared(k);
    END LOOP;
    FOR k IN SELECT DISTINCT hashtextextended(g, 2) FROM unnest(group_ids) g ORDER BY 1 LOOP
      PERFORM pg_advisory_xact_lock(k);
    END LOOP;
    IF (SELECT count(*) FROM unnest(devices, generations) AS d (key, generation) JOIN device USING (key, generation))
        = cardinality(devices)
      AND (SELECT count(*) FROM unnest(group_ids, rosters, seqs, epochs) AS g (id, roster, seq, epoch)
           JOIN chat_group USING (id, roster, seq, epoch)) = cardinality(group_ids)
      AND (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox) <= outbox_max
    THEN
      RETURN QUERY SELECT * FROM write_batch(e_groups, e_seqs, e_kinds, e_senders, e_ts, e_recipients,
        e_added, e_removed, messages, payloads, payload_bytes, g_nums, g_epochs, g_seqs, g_ts,
        knows, known, d_accounts, d_days, d_bytes, d_limits);
    END IF;
  END $$;
`
