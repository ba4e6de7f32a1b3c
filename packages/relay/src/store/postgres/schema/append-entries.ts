// A batch of messages as one statement: it changes no row that every batch changes, so that it costs the same while
// anybody holds an old snapshot.
import { PARTITION_BITS } from './partition-tables.ts'

export const appendEntries = `
  -- Nothing is written unless all of it is still so; then now_so says how the groups stand. Each part is a statement of few
  -- steps, and what is empty is none: most batches are of one message, and pay for every step.
  CREATE FUNCTION append_entries(
    devices text[], generations bigint[], group_ids text[], rosters bigint[], seqs bigint[], epochs bigint[],
    outbox_max integer, hint text, readers integer[], read_entries integer[],
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    messages bytea, payloads bytea, payload_starts integer[], payload_bytes integer[],
    g_nums integer[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[], d_reserves bigint[],
    a_accounts text[], a_cursors bigint[], a_marks bigint[])
  RETURNS TABLE (ids bigint[], is_placed boolean, now_so json, reserved bigint[]) LANGUAGE plpgsql AS $$
  DECLARE
    is_held boolean;
    waiting bigint;
    devices_so bigint;
    groups_so bigint;
    head_pos bigint;
    outbox_from bigint;
    counted bigint;
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
        WHERE (SELECT s.roster = g.roster AND s.seq = g.seq AND s.epoch = g.epoch FROM group_state s WHERE s.num = g.num))
      INTO devices_so, groups_so;
    IF groups_so < cardinality(g_nums) THEN
      now_so := (SELECT json_agg(json_build_object(
          'num', s.num, 'roster', s.roster, 'seq', s.seq, 'epoch', s.epoch, 'lastTs', s.last_ts))
        FROM group_state s WHERE s.num = ANY (g_nums));
    END IF;
    -- Under the lock, each look is a statement of its own, which sees what was committed before.
    outbox_from := outbox_floor();
    is_placed := false;
    waiting := 0;
    IF cardinality(readers) > 0
      AND NOT EXISTS (SELECT 1 FROM outbox WHERE chat_group = ANY (g_nums) AND id >= outbox_from) THEN
      IF pg_try_advisory_xact_lock(3, 1) THEN
        -- No position is above that of a row that is being placed in parts.
        is_placed := NOT EXISTS (SELECT 1 FROM outbox WHERE pos IS NOT NULL AND id >= outbox_from);
      END IF;
    END IF;
    IF NOT is_placed THEN
      waiting := (SELECT coalesce(max(id) - min(id) + 1, 0) FROM outbox WHERE id >= outbox_from);
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
    FOR n IN 1 .. cardinality(g_nums) LOOP
      UPDATE log_end SET seq = g_seqs[n], ts = g_ts[n] WHERE chat_group = g_nums[n] AND seq = seqs[n];
      IF NOT FOUND THEN INSERT INTO log_end (chat_group, seq, ts) VALUES (g_nums[n], g_seqs[n], g_ts[n]); END IF;
    END LOOP;

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
    -- In the order of their accounts. Beside what is used now, the relay reserves bytes for its next batches, so that most
    -- of them count nothing: no more than a sixteenth of what is left of the day, which another relay may need.
    FOR n IN 1 .. cardinality(d_accounts) LOOP
      SELECT d.bytes INTO counted FROM day_bytes d WHERE d.account = d_accounts[n] AND d.day = d_days[n] FOR NO KEY UPDATE;
      counted := coalesce(counted, 0) + d_bytes[n];
      reserved[n] := greatest(least(d_reserves[n], (d_limits[n] - counted) / 16), 0);
      INSERT INTO day_bytes AS d (account, day, bytes) VALUES (d_accounts[n], d_days[n], d_bytes[n] + reserved[n])
        ON CONFLICT (account) DO UPDATE SET day = excluded.day,
          bytes = excluded.bytes + CASE WHEN d.day = excluded.day THEN d.bytes ELSE 0 END
        RETURNING d.bytes INTO counted;
      IF counted > d_limits[n] THEN
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

  -- For relays of the versions before, which reserve nothing.
  CREATE OR REPLACE FUNCTION append_batch(
    devices text[], generations bigint[], group_ids text[], rosters bigint[], seqs bigint[], epochs bigint[],
    outbox_max integer, hint text, readers integer[], read_entries integer[],
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    messages bytea, payloads bytea, payload_starts integer[], payload_bytes integer[],
    g_nums integer[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[],
    a_accounts text[], a_cursors bigint[], a_marks bigint[])
  RETURNS TABLE (ids bigint[], is_placed boolean, now_so json) LANGUAGE sql AS $$
    SELECT ids, is_placed, now_so FROM append_entries(
      devices, generations, group_ids, rosters, seqs, epochs, outbox_max, hint, readers, read_entries, e_groups,
      e_seqs, e_kinds, e_senders, e_ts, e_recipients, messages, payloads, payload_starts, payload_bytes, g_nums,
      g_seqs, g_ts, knows, known, d_accounts, d_days, d_bytes, d_limits,
      array_fill(0::bigint, ARRAY[cardinality(d_accounts)]), a_accounts, a_cursors, a_marks)
  $$;
`
