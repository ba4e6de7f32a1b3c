// Partitions the log and mailboxes, so that expired rows are dropped as whole tables: the tables of the second version.

/**
 * The bits of an entry's id or a position above these are the number of its partition. No partition fills that range:
 * the next one is begun by a jump to it. Part of released steps, so never changed.
 */
export const PARTITION_BITS = 33

/** All existing rows are below this. */
const BOUND = `((greatest((SELECT last_value FROM entry_id_seq), (SELECT pos FROM head)) >> ${PARTITION_BITS}) + 1) << ${PARTITION_BITS}`

const addBound = (table: string, column: string): string => `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = '${table}'::regclass AND conname = '${table}_below') THEN
      EXECUTE format('ALTER TABLE ${table} ADD CONSTRAINT ${table}_below CHECK (${column} < %s) NOT VALID', ${BOUND});
    END IF;
  END $$`

/**
 * Run separately before the step, while relays are running: reads both tables once and blocks nobody. Without it they
 * would be read while they are locked.
 */
export const beforePartitions: readonly string[] = [
  addBound('entry', 'id'),
  addBound('mailbox', 'pos'),
  'ALTER TABLE entry VALIDATE CONSTRAINT entry_below',
  'ALTER TABLE mailbox VALIDATE CONSTRAINT mailbox_below',
]

export const partitionTables = `
  -- Whoever fills mailboxes waits, and batches leave it to them: from here on all who use both tables come by way of mailboxes.
  SELECT pg_advisory_xact_lock(3, 1);
  -- Every batch looks at the outbox first, and has it until it ends: none is in the middle that knows the older sequence.
  LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE;
  LOCK TABLE mailbox IN ACCESS EXCLUSIVE MODE;
  LOCK TABLE entry IN ACCESS EXCLUSIVE MODE;

  -- An identity is of one table, and this number is of all partitions.
  CREATE SEQUENCE entry_number;
  SELECT setval('entry_number', last_value, is_called) FROM entry_id_seq;

  -- What there is becomes the first partition, with its indexes.
  DO $$
  DECLARE
    bound bigint := ${BOUND};
    first text := '_' || (bound >> ${PARTITION_BITS}) - 1;
  BEGIN
    EXECUTE format('ALTER TABLE entry RENAME TO %I', 'entry' || first);
    EXECUTE format('ALTER INDEX entry_pkey RENAME TO %I', 'entry' || first || '_pkey');
    EXECUTE format('ALTER INDEX entry_message RENAME TO %I', 'entry' || first || '_message');
    EXECUTE format('ALTER TABLE %I ALTER id DROP IDENTITY', 'entry' || first);
    ALTER SEQUENCE entry_number RENAME TO entry_id_seq;
    EXECUTE format('CREATE TABLE entry (LIKE %I INCLUDING STORAGE) PARTITION BY RANGE (id)', 'entry' || first);
    ALTER TABLE entry ALTER id SET DEFAULT nextval('entry_id_seq');
    ALTER SEQUENCE entry_id_seq OWNED BY entry.id;
    ALTER TABLE entry ADD PRIMARY KEY (id);
    EXECUTE format('ALTER TABLE entry ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', 'entry' || first, bound);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS entry_below', 'entry' || first);

    EXECUTE format('ALTER TABLE mailbox RENAME TO %I', 'mailbox' || first);
    EXECUTE format('ALTER INDEX mailbox_pkey RENAME TO %I', 'mailbox' || first || '_pkey');
    EXECUTE format('CREATE TABLE mailbox (LIKE %I) PARTITION BY RANGE (pos)', 'mailbox' || first);
    ALTER TABLE mailbox ADD PRIMARY KEY (account, pos);
    EXECUTE format('ALTER TABLE mailbox ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', 'mailbox' || first, bound);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT IF EXISTS mailbox_below', 'mailbox' || first);
  END $$;
`
