// The partitions of the log and of mailboxes: made ahead, begun in time, and dropped whole when all in them is past its time.
import { postgresLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Postgres } from '../connection/database.ts'
import { PARTITION_BITS } from '../schema/partition-tables.ts'

/** `leaving`: whoever took it out was stopped in the middle. `apart`: taken out, and not dropped yet. */
type Partition = { whole: 'entry' | 'mailbox'; number: number; state: 'attached' | 'leaving' | 'apart' }
/** `current`: the number of the first that is still written. */
type Numbers = { current: number; newest: number; server: number }

const ALL = `
  SELECT split_part(c.relname, '_', 1) AS whole, split_part(c.relname, '_', 2)::bigint AS number,
    CASE WHEN i.inhrelid IS NULL THEN 'apart'
      WHEN (to_jsonb(i) ->> 'inhdetachpending')::boolean THEN 'leaving' ELSE 'attached' END AS state
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname ~ '^(entry|mailbox)_[0-9]+$'
  ORDER BY number, whole DESC`

/** By what is given next, of both: as long as nothing comes, positions stand right before the partition that was begun. */
const CURRENT = `least((SELECT last_value FROM entry_id_seq), (SELECT pos + 1 FROM head)) >> ${PARTITION_BITS}`
const NUMBERS = `
  SELECT ${CURRENT} AS current,
    greatest((SELECT last_value FROM entry_id_seq), (SELECT pos FROM head)) >> ${PARTITION_BITS} AS newest,
    current_setting('server_version_num')::integer AS server`

/** Up to the first that is still written, or in which something stays for longer than it may lie there. */
const WHOLE_BELOW = `
  SELECT coalesce(min(part.number), ${CURRENT}) << ${PARTITION_BITS} AS "wholeBelow"
  FROM unnest($1::bigint[]) AS part (number)
  CROSS JOIN LATERAL (
    SELECT ts FROM entry WHERE id < (part.number + 1) << ${PARTITION_BITS} ORDER BY id DESC LIMIT 1) AS last
  WHERE part.number < ${CURRENT} AND last.ts >= $2`

/** What waits for its mailboxes is not past its time, however old it is. */
const IS_PAST = `
  SELECT NOT EXISTS (SELECT 1 FROM entry WHERE id >= (SELECT floor FROM retention) AND id < ($1::bigint + 1) << ${PARTITION_BITS})
    AND NOT EXISTS (SELECT 1 FROM outbox WHERE entry < ($1::bigint + 1) << ${PARTITION_BITS}) AS "isPast"`

/** Of what is kept in the partition that is written: the oldest, and how many there are. */
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

  /** Below this id, and this position, rows stay where they are: soon their partition goes whole. */
  async wholeBelow(beforeMs: number): Promise<number> {
    const numbers = (await this.#all()).map(({ number }) => number)
    const goneByMs = beforeMs + this.#limits.keepEntriesMs / postgresLimits.keptLongerParts
    const row = await this.#database.one<{ wholeBelow: number }>(WHOLE_BELOW, [numbers, goneByMs])
    return row?.wholeBelow ?? 0
  }

  /** Whoever stops in the middle of it has lost nothing: the next one goes on from what it finds. */
  async tend(nowMs: number): Promise<void> {
    const { current, newest, server } = await this.#numbers()
    for (const number of [newest, newest + 1]) await this.#database.rows('SELECT make_partition($1)', [number])
    for (const part of await this.#all()) {
      if (part.number >= current || !(await this.#isPast(part))) break
      await this.#drop(part, server)
    }
    if (await this.#isDue(nowMs)) await this.begin(newest + 1)
  }

  /** Batches wait for it, and it waits for those under way: not for long. */
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

  /** What is taken out already was so because all in it was past its time. */
  async #isPast({ number, state }: Partition): Promise<boolean> {
    if (state !== 'attached') return true
    return (await this.#database.one<{ isPast: boolean }>(IS_PAST, [number]))?.isPast ?? false
  }

  /** Nobody who reads or writes is held off by it; from version 14 of the server on also not by who waits for them. */
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
