// Functions for partitions: create them, begin one, and search the older ones for a message that is already there.
import { PARTITION_BITS } from './partition-tables.ts'

export const partitionFunctions = `
  -- Of the log and of mailboxes, unless it is there. Nobody who reads or writes waits for it.
  CREATE FUNCTION make_partition(number bigint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    whole text;
    part text;
  BEGIN
    FOREACH whole IN ARRAY ARRAY['entry', 'mailbox'] LOOP
      part := whole || '_' || number;
      CONTINUE WHEN to_regclass(part) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING INDEXES)', part, whole);
      -- Unique in its partition: an index over all of them would have to be emptied row by row.
      IF whole = 'entry' THEN
        EXECUTE format('CREATE UNIQUE INDEX %I ON %I (message) WHERE message IS NOT NULL', part || '_message', part);
      END IF;
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', whole, part,
        number << ${PARTITION_BITS}, (number + 1) << ${PARTITION_BITS});
    END LOOP;
  END $$;

  -- From here on the log and mailboxes are written in the partition of this number. Positions jump with whoever fills mailboxes
  -- held off, and ids with every batch ended that has one: no reference in an older partition is to an entry in a newer one,
  -- and whoever gets an id of the newer one sees all that is in the older. Nothing is done when it was begun before.
  CREATE FUNCTION begin_partition(number bigint) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(3, 1);
    IF number <= greatest((SELECT last_value FROM entry_id_seq), (SELECT pos FROM head)) >> ${PARTITION_BITS} THEN
      RETURN;
    END IF;
    PERFORM make_partition(number), make_partition(number + 1);
    UPDATE head SET pos = (number << ${PARTITION_BITS}) - 1;
    EXECUTE format('ALTER SEQUENCE entry_id_seq RESTART WITH %s', number << ${PARTITION_BITS});
  END $$;

  -- Written as before, and then looked for in the older partitions: in its own, a message that comes twice is refused already.
  -- Behind it, since whoever was writing the same when this began has ended when this has its ids.
  ALTER FUNCTION write_batch RENAME TO write_rows;
  CREATE FUNCTION write_batch(
    e_groups integer[], e_seqs bigint[], e_kinds smallint[], e_senders integer[], e_ts bigint[], e_recipients text[],
    e_added text[], e_removed text[], messages bytea, payloads bytea, payload_bytes integer[],
    g_nums integer[], g_epochs bigint[], g_seqs bigint[], g_ts bigint[],
    knows integer[], known integer[],
    d_accounts integer[], d_days integer[], d_bytes bigint[], d_limits bigint[])
  RETURNS SETOF bigint LANGUAGE plpgsql AS $$
  DECLARE given bigint[];
  BEGIN
    given := ARRAY(SELECT write_rows(e_groups, e_seqs, e_kinds, e_senders, e_ts, e_recipients,
      e_added, e_removed, messages, payloads, payload_bytes, g_nums, g_epochs, g_seqs, g_ts,
      knows, known, d_accounts, d_days, d_bytes, d_limits));
    IF EXISTS (SELECT 1 FROM entry e WHERE e.id < (given[1] >> ${PARTITION_BITS}) << ${PARTITION_BITS}
      AND e.message = ANY (ARRAY(
        SELECT substr(messages, (n - 1) * 20 + 1, 20) FROM generate_series(1, length(messages) / 20) n)))
    THEN RAISE EXCEPTION 'a message is in the log already' USING ERRCODE = 'unique_violation'; END IF;
    RETURN QUERY SELECT unnest(given);
  END $$;

  SELECT make_partition(1 + (greatest((SELECT last_value FROM entry_id_seq), (SELECT pos FROM head)) >> ${PARTITION_BITS}));
`
