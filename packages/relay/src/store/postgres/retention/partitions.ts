// Partitions of the log and of mailboxes:
// created in advance, begun in time, and dropped as a whole when everything in them has expired.
import { postgresLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Postgres } from '../connection/database.ts'
import { PARTITION_BITS } from '../schema/partition-tables.ts'

/** `leaving`: a relay was stopped while detaching it. `apart`: detached, and not dropped yet. */
type Partition = { whole: 'entry' | 'mailbox'; number: number; state: 'attached' | 'leaving' | 'apart' }
/** `current`: the number of the first partition that is still written to. */
type Numbers = { current: number; newest: number; server: number }

const ALL = `
  SELECT split_part(c.relname, '_', 1) AS whole, split_part(c.relname, '_', 2)::bigint AS number,
    CASE WHEN i.inhrelid IS NULL THEN 'apart'
      WHEN (to_jsonb(i) ->> 'inhdetachpending')::boolean THEN 'leaving' ELSE 'attached' END AS state
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '^(entry|mailbox)_[0-9]+$'
  ORDER BY number, whole DESC`

/**
 * The lower of the next values of both sequences:
 * while nothing arrives, positions stay right before a newly begun partition.
 */
const CURRENT = `least((SELECT last_value FROM entry_id_seq), (SELECT pos + 1 FROM head)) >> ${PARTITION_BITS}`
const NUMBERS = `
  SELECT ${CURRENT} AS current,
    greatest((SELECT last_value FROM entry_id_seq), (SELECT pos FROM head)) >> ${PARTITION_BITS} AS newest,
    current_setting('server_version_num')::integer AS server`

/** Up to the first partition that is still written to, or that holds an entry that would be kept too long. */
const WHOLE_BELOW = `
  SELECT coalesce(min(part.number), ${CURRENT}) << ${PARTITION_BITS} AS "wholeBelow"
  FROM unnest($1::bigint[]) AS part (number)
  CROSS JOIN LATERAL (
    SELECT ts FROM entry WHERE id < (part.number + 1) << ${PARTITION_BITS} ORDER BY id DESC LIMIT 1) AS last
  WHERE part.number < ${CURRENT} AND last.ts >= $2`

/** Entries that wait for their mailboxes have not expired, however old they are. */
const IS_PAST = `
  SELECT NOT EXISTS (SELECT 1 FROM entry WHERE id >= (SELECT floor FROM retention) AND id < ($1::bigint + 1) << ${PARTITION_BITS})
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE entry < ($1::bigint + 1) << ${PARTITION_BITS}) AS "isPast"`

/** The oldest kept entry of the partition being written, and the number of younger ones. */
const OLDEST = `
  SELECT ts, (SELECT last_value FROM entry_id_seq) - id AS younger FROM entry
  WHERE id >= (SELECT greatest(floor, (last_value >> ${PARTITION_BITS}) << ${PARTITION_BITS}) FROM retention, entry_id_seq)
  ORDER BY id LIMIT 1`

export class PgPartitions {
  readonly #database: Postgres
  readonly #limits: RelayLimits

  constructor(database: Postgres, limits: RelayLimits) {
    this.#database = database
    this.#limits = limits
  }

  /** Rows below this id and position are left alone: their partition will soon be dropped as a whole. */
  async wholeBelow(beforeMs: number): Promise<number> {
    const numbers = (await this.#all()).map(({ number }) => number)
    const goneByMs = beforeMs + this.#limits.keepEntriesMs / postgresLimits.keptLongerParts
    const row = await this.#database.one<{ wholeBelow: number }>(WHOLE_BELOW, [numbers, goneByMs])
    return row?.wholeBelow ?? 0
  }

  /** Safe to interrupt: the next run continues from the state that it finds. */
  async tend(nowMs: number): Promise<void> {
    const { current, newest, server } = await this.#numbers()
    for (const number of [newest, newest + 1]) await this.#database.rows('SELECT make_partition($1)', [number])
    for (const part of await this.#all()) {
      if (part.number >= current || !(await this.#isPast(part))) break
      await this.#drop(part, server)
    }
    if (await this.#isDue(nowMs)) await this.begin(newest + 1)
  }

  /** Batches wait for this, and it waits for those in flight, but only for a short time. */
  async begin(number: number): Promise<void> {
    await this.#database.transaction(async tx => {
      await tx.script(`SET LOCAL lock_timeout = ${postgresLimits.tableLockMs}`)
      await tx.rows('SELECT begin_partition($1)', [number])
    })
  }

  async #isDue(nowMs: number): Promise<boolean> {
    const numbers = new Set((await this.#all()).map(({ number }) => number))
    if (numbers.size >= postgresLimits.partitionsMax) return false
    const oldest = await this.#database.one<{ ts: number; younger: number }>(OLDEST)
    if (!oldest || oldest.younger < this.#limits.partitionEntriesMin) return false
    return nowMs - oldest.ts >= this.#limits.keepEntriesMs / postgresLimits.partitionsPerKeeping
  }

  /** A partition is detached only if everything in it has expired. */
  async #isPast({ number, state }: Partition): Promise<boolean> {
    if (state !== 'attached') return true
    return (await this.#database.one<{ isPast: boolean }>(IS_PAST, [number]))?.isPast ?? false
  }

  /** Readers and writers are not blocked; from version 14 of the server on, not even behind its own wait for them. */
  async #drop({ whole, number, state }: Partition, server: number): Promise<void> {
    const part = `${whole}_${number}`
    const out = `ALTER TABLE ${whole} DETACH PARTITION ${part}`
    if (state === 'leaving') await this.#database.script(`${out} FINALIZE`)
    else if (state === 'attached' && server >= postgresLimits.detachesAsideFrom)
      await this.#database.script(`${out} CONCURRENTLY`)
    else if (state === 'attached')
      await this.#database.transaction(tx =>
        tx.script(`SET LOCAL lock_timeout = ${postgresLimits.tableLockMs}; ${out}`),
      )
    await this.#database.script(`DROP TABLE IF EXISTS ${part}`)
  }

  #all(): Promise<Partition[]> {
    return this.#database.rows<Partition>(ALL)
  }

  async #numbers(): Promise<Numbers> {
    return (await this.#database.one<Numbers>(NUMBERS)) ?? { current: 0, newest: 0, server: 0 }
  }
}
