// Keeps the end of each group's log in a separate table: a row that every append updates in place grows a chain of
// versions while a transaction holds an old snapshot, and each lookup walks all of it.

/**
 * The functions of earlier steps keep their names, so relays of those versions write the same rows. Apart from the step of
 * the outbox: a step that holds both tables would wait for a batch that has one and waits for the other.
 */
export const logEnds = `
  -- The newest entry of a group's log; a group without a row here is as chat_group says. The number is part of the key: the
  -- newest version of a row is found first, and older ones are not looked at.
  CREATE TABLE log_end (
    chat_group integer NOT NULL,
    seq bigint NOT NULL,
    ts bigint NOT NULL,
    PRIMARY KEY (chat_group, seq)
  ) WITH (fillfactor = 50);

  -- Its epoch and roster change with its members, and seq and last_ts with every entry.
  CREATE VIEW group_state AS
    SELECT c.num, c.id, c.creator, c.epoch, c.roster, c.empty_ms, coalesce(l.seq, c.seq) AS seq,
      coalesce(l.ts, c.last_ts) AS last_ts
    FROM chat_group c LEFT JOIN LATERAL (
      SELECT e.seq, e.ts FROM log_end e WHERE e.chat_group = c.num ORDER BY e.seq DESC LIMIT 1) l ON true;

  -- From the end that the writer has seen to the one that it makes, under the group's lock. The writer of an end that has
  -- moved since is sent back: it would give a number twice.
  CREATE FUNCTION move_log_end(of_group integer, seen bigint, made bigint, made_ts bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE log_end SET seq = made, ts = made_ts WHERE chat_group = of_group AND seq = seen;
    IF FOUND THEN RETURN; END IF;
    IF EXISTS (SELECT 1 FROM group_state WHERE num = of_group AND seq <> seen) THEN
      RAISE EXCEPTION 'the log has another end' USING ERRCODE = 'serialization_failure';
    END IF;
    INSERT INTO log_end (chat_group, seq, ts) VALUES (of_group, made, made_ts);
  END $$;

  -- A function of an earlier step that was waiting for its locks while this step was made knows only chat_group.
  CREATE FUNCTION refuse_seq() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT 1 FROM log_end WHERE chat_group = NEW.num) THEN
      RAISE EXCEPTION 'the log has another end' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER refuse_seq BEFORE UPDATE OF seq ON chat_group FOR EACH ROW EXECUTE FUNCTION refuse_seq();
  CREATE FUNCTION drop_log_end() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM log_end WHERE chat_group = OLD.num;
    RETURN NULL;
  END $$;
  CREATE TRIGGER drop_log_end AFTER DELETE ON chat_group FOR EACH ROW EXECUTE FUNCTION drop_log_end();

  CREATE OR REPLACE FUNCTION lock_batch(
    devices text[], group_ids text[], rosters bigint[], messages bytea, senders integer[])
  RETURNS json LANGUAGE plpgsql AS $$
  DECLARE outbox_from bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(k)
      FROM (SELECT DISTINCT hashtextextended(d, 1) AS k FROM unnest(devices) d ORDER BY k) ordered;
    PERFORM pg_advisory_xact_lock(k)
      FROM (SELECT DISTINCT hashtextextended(g, 2) AS k FROM unnest(group_ids) g ORDER BY k) ordered;
    outbox_from := outbox_floor();
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
        CROSS JOIN LATERAL (SELECT * FROM group_state WHERE group_state.id = asked.id LIMIT 1) g),
      'known', (SELECT json_agg(json_build_object('message', encode(e.message, 'hex'), 'sender', e.sender,
          'seq', e.seq, 'ts', e.ts))
        FROM entry e WHERE e.message = ANY (ARRAY(
          SELECT substr(messages, (n - 1) * 20 + 1, 20) FROM generate_series(1, length(messages) / 20) n))),
      'stored', (SELECT json_agg(json_build_object('account', account, 'day', day, 'bytes', bytes))
        FROM day_bytes WHERE account = ANY (senders)),
      'waiting', (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox WHERE id >= outbox_from));
  END $$;

  -- All rows of a batch but for the look into older partitions; see write_batch.
  CREATE OR REPLACE FUNCTION write_rows(
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    e_added text[], e_removed text[], messages bytea, payloads bytea, payload_bytes integer[],
    g_nums integer[], g_epochs bigint[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[])
  RETURNS SETOF bigint LANGUAGE plpgsql AS $$
  DECLARE beyond integer;
  BEGIN
    -- Before any number of the outbox is taken; see outbox_floor.
    PERFORM pg_current_xact_id();
    PERFORM move_log_end(g.num,
        (SELECT min(e.seq) - 1 FROM unnest(e_groups, e_seqs) AS e (chat_group, seq) WHERE e.chat_group = g.num), g.seq, g.ts)
      FROM unnest(g_nums, g_seqs, g_ts) AS g (num, seq, ts);
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
    UPDATE chat_group SET epoch = g.epoch
      FROM unnest(g_nums, g_epochs) AS g (num, epoch) WHERE chat_group.num = g.num AND chat_group.epoch <> g.epoch;
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

  -- For relays of the first version.
  CREATE OR REPLACE FUNCTION try_batch(
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
        WHERE ((g.roster, g.seq, g.epoch) = (SELECT c.roster, c.seq, c.epoch FROM group_state c WHERE c.id = g.id))
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
