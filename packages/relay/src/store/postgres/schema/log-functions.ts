// Functions for a batch of writes to the log:
// one statement for its locks and the state of its groups, another for all rows.

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
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(k)
      FROM (SELECT DISTINCT hashtextextended(d, 1) AS k FROM unnest(devices) d ORDER BY k) ordered;
    PERFORM pg_advisory_xact_lock(k)
      FROM (SELECT DISTINCT hashtextextended(g, 2) AS k FROM unnest(group_ids) g ORDER BY k) ordered;
    RETURN json_build_object(
      'devices', (SELECT json_agg(json_build_object('device', key, 'generation', generation))
        FROM device WHERE key = ANY (devices)),
      'groups', (SELECT json_agg(json_build_object('num', g.num, 'id', g.id, 'creator', g.creator, 'epoch', g.epoch,
          'seq', g.seq, 'lastTs', g.last_ts, 'roster', g.roster,
          'members', CASE WHEN g.roster IS DISTINCT FROM asked.roster THEN
            (SELECT json_agg(json_build_object('num', m.account,
                'id', (SELECT a.id FROM account a WHERE a.num = m.account), 'isIn', m.until IS NULL))
             FROM member m
             WHERE m.chat_group = g.num AND (m.until IS NULL OR m.has_left)) END))
        FROM unnest(group_ids, rosters) AS asked (id, roster)
        CROSS JOIN LATERAL (SELECT * FROM chat_group WHERE chat_group.id = asked.id LIMIT 1) g),
      'known', (SELECT json_agg(json_build_object('message', encode(e.message, 'hex'), 'sender', e.sender,
          'seq', e.seq, 'ts', e.ts))
        FROM entry e WHERE e.message = ANY (ARRAY(
          SELECT substr(messages, (n - 1) * 20 + 1, 20) FROM generate_series(1, length(messages) / 20) n))),
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
    -- Their ids are taken first: to find again which row got which would be a join for each batch.
    RETURN QUERY WITH given AS (
        SELECT nextval('entry_id_seq') AS id, counted.* FROM (
          SELECT *, sum(bytes) OVER (ORDER BY n) - bytes AS before
          FROM unnest(e_groups, e_seqs, e_kinds, e_senders, e_ts, e_recipients, e_added, e_removed, payload_bytes)
            WITH ORDINALITY AS e (chat_group, seq, kind, sender, ts, recipients, added, removed, bytes, n)) counted),
      logged AS (
        INSERT INTO entry (id, chat_group, seq, kind, sender, ts, message, payload, added, removed)
        SELECT id, chat_group, seq, kind, sender, ts,
          CASE WHEN kind <> 3 THEN substr(messages, ((n - 1) * 20 + 1)::integer, 20) END,
          substr(payloads, (before + 1)::integer, bytes), decode(added, 'hex'), decode(removed, 'hex')
        FROM given),
      sent AS (
        INSERT INTO outbox (entry, chat_group, seq, kind, sender, recipients)
        SELECT id, chat_group, seq, kind, sender, recipients::integer[] FROM given ORDER BY n)
      SELECT id FROM given ORDER BY n;
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
    outbox_max integer, place_own integer, told text,
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    e_added text[], e_removed text[], messages bytea, payloads bytea, payload_bytes integer[],
    g_nums integer[], g_epochs bigint[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[])
  RETURNS TABLE (ids bigint[], grown integer[], is_placed boolean) LANGUAGE plpgsql AS $$
  DECLARE waiting bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(k)
      FROM (SELECT DISTINCT hashtextextended(d, 1) AS k FROM unnest(devices) d ORDER BY k) ordered;
    PERFORM pg_advisory_xact_lock(k)
      FROM (SELECT DISTINCT hashtextextended(g, 2) AS k FROM unnest(group_ids) g ORDER BY k) ordered;
    waiting := (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox);
    IF waiting > outbox_max
      OR EXISTS (SELECT 1 FROM unnest(devices, generations) AS d (key, generation)
        WHERE d.generation IS DISTINCT FROM (SELECT device.generation FROM device WHERE device.key = d.key))
      OR EXISTS (SELECT 1 FROM unnest(group_ids, rosters, seqs, epochs) AS g (id, roster, seq, epoch)
        WHERE ((g.roster, g.seq, g.epoch) = (SELECT c.roster, c.seq, c.epoch FROM chat_group c WHERE c.id = g.id))
          IS NOT TRUE)
    THEN RETURN; END IF;
    ids := ARRAY(SELECT write_batch(e_groups, e_seqs, e_kinds, e_senders, e_ts, e_recipients,
      e_added, e_removed, messages, payloads, payload_bytes, g_nums, g_epochs, g_seqs, g_ts,
      knows, known, d_accounts, d_days, d_bytes, d_limits));
    IF place_own > 0 AND waiting = 0 THEN
      SELECT true, f.grown INTO is_placed, grown FROM fan_out_at_once(place_own, told) f;
    END IF;
    RETURN NEXT;
  END $$;
`
