// Removes expired data in turns of bounded size, each a statement of its own, so an interruption loses nothing.
import { type Clock, pushLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import { dayOf } from '../../rules/day-limits.ts'
import type { PgInviteRows } from '../accounts/invite-rows.ts'
import type { PgKeyPackageRows } from '../accounts/key-package-rows.ts'
import type { Queries } from '../connection/queries.ts'
import { WorkSize } from '../connection/work-size.ts'
import type { PgDeletedRows } from './deleted-rows.ts'
import type { PgPartitions } from './partitions.ts'

type Parts = {
  partitions: PgPartitions
  keyPackages: PgKeyPackageRows
  invites: PgInviteRows
  deleted: PgDeletedRows
  limits: RelayLimits
  clock: Clock
}
/** `wholeBelow`: rows with a lower id or position stay until their partition is dropped. */
type Phase =
  | { kind: 'entries'; wholeBelow?: number }
  | { kind: 'mailboxes'; wholeBelow: number; afterAccount: number }
  | { kind: 'rest' }
  | { kind: 'partitions' }
type Turn = { removed: number; more: boolean }
type Looked = { removed: number; accounts: number; lastAccount: number | null }

/** In the order of their ids, up to the first younger one. Entries that wait for their mailboxes stay. */
const DROP_ENTRIES = `
  WITH oldest AS (
      SELECT id, ts FROM entry WHERE id >= (SELECT floor FROM retention)
        AND id < coalesce((SELECT min(entry) FROM outbox), ${Number.MAX_SAFE_INTEGER})
      ORDER BY id LIMIT $2),
    past AS (
      SELECT id FROM oldest
      WHERE id < coalesce((SELECT min(id) FROM oldest WHERE ts >= $1), ${Number.MAX_SAFE_INTEGER})),
    gone AS (DELETE FROM entry USING past WHERE entry.id = past.id AND entry.id >= $3),
    raised AS (UPDATE retention SET floor = (SELECT max(id) + 1 FROM past) WHERE EXISTS (SELECT 1 FROM past))
  SELECT count(*) AS removed FROM past`

/** Among the next accounts, those whose oldest reference is to an expired entry, and the first references of these. */
const DROP_REFERENCES = `
  WITH looked AS (SELECT num FROM account WHERE num > $1 ORDER BY num LIMIT $2),
    old AS (
      SELECT reference.account, reference.pos FROM looked
      CROSS JOIN LATERAL (
        SELECT entry FROM mailbox WHERE account = num AND pos >= $4 ORDER BY pos LIMIT 1) AS first
      CROSS JOIN LATERAL (
        SELECT account, pos, entry FROM mailbox WHERE account = num AND pos >= $4 ORDER BY pos LIMIT $2) AS reference
      WHERE first.entry < $3 AND reference.entry < $3 LIMIT $2),
    gone AS (
      DELETE FROM mailbox USING old WHERE mailbox.account = old.account AND mailbox.pos = old.pos RETURNING 1)
  SELECT (SELECT count(*) FROM gone) AS removed, count(*) AS accounts, max(num) AS "lastAccount" FROM looked`

/** Empty groups, once all their entries have expired and are in mailboxes, because filling these needs the members. */
const DROP_GROUPS = `
  WITH gone AS (
      DELETE FROM chat_group WHERE num IN
        (SELECT num FROM chat_group WHERE empty_ms < $1 AND num <> ALL (ARRAY(SELECT chat_group FROM outbox))
         ORDER BY empty_ms LIMIT $2) RETURNING num),
    members AS (DELETE FROM member USING gone WHERE member.chat_group = num),
    past AS (DELETE FROM past_member USING gone WHERE past_member.chat_group = num),
    continued AS (DELETE FROM continuation USING gone WHERE continued = num OR continuation.chat_group = num)
  SELECT count(*) AS removed FROM gone`

const DROP_PAST_MEMBERS = `
  DELETE FROM past_member WHERE (chat_group, account) IN
    (SELECT chat_group, account FROM past_member WHERE until_ms < $1 ORDER BY until_ms LIMIT $2)`

/** Deletes old contacts. People who still write to each other are noted again with their next message. */
const DROP_CONTACTS = `
  DELETE FROM contact WHERE (account, peer) IN
    (SELECT account, peer FROM contact WHERE day < $1 ORDER BY day LIMIT $2)`

/** In the order of their ids, up to the first younger one. */
const DROP_ATTENTION = `
  WITH oldest AS (SELECT entry, ts FROM attention ORDER BY entry LIMIT $2)
  DELETE FROM attention USING oldest WHERE attention.entry = oldest.entry
    AND oldest.entry < coalesce((SELECT min(entry) FROM oldest WHERE ts >= $1), ${Number.MAX_SAFE_INTEGER})`

export class PgSweep {
  readonly #database: Queries
  readonly #parts: Parts
  readonly #rows: WorkSize
  #phase: Phase = { kind: 'entries' }
  /** Mailboxes have no reference below it, except in partitions that are dropped as a whole. */
  #mailboxFloor = 0

  constructor(database: Queries, parts: Parts) {
    this.#database = database
    this.#parts = parts
    this.#rows = new WorkSize(parts.limits.sweepRowsPerTurn)
  }

  /**
   * `nowMs` is the corrected clock that measures ages.
   * After a turn that took too long, the next sweep uses smaller ones.
   */
  async turn(nowMs: number): Promise<Turn> {
    const { clock } = this.#parts
    const startedMs = clock.monotonicMs()
    try {
      const turn = await this.#turn(nowMs)
      this.#rows.succeeded(clock.monotonicMs() - startedMs)
      return turn
    } catch (error) {
      this.#rows.failed(error)
      throw error
    }
  }

  #turn(nowMs: number): Promise<Turn> {
    const phase = this.#phase
    switch (phase.kind) {
      case 'entries':
        return this.#entries(phase, nowMs - this.#parts.limits.keepEntriesMs)
      case 'mailboxes':
        return this.#mailboxes(phase)
      case 'rest':
        return this.#rest(nowMs)
      case 'partitions':
        return this.#partitions(nowMs)
    }
  }

  async #entries(phase: Extract<Phase, { kind: 'entries' }>, beforeMs: number): Promise<Turn> {
    const { partitions } = this.#parts
    const rowsMax = this.#rows.size
    const wholeBelow = phase.wholeBelow ?? (await partitions.wholeBelow(beforeMs))
    const row = await this.#database.one<{ removed: number }>(DROP_ENTRIES, [beforeMs, rowsMax, wholeBelow])
    const { removed = 0 } = row ?? {}
    this.#phase =
      removed < rowsMax ? { kind: 'mailboxes', wholeBelow, afterAccount: 0 } : { kind: 'entries', wholeBelow }
    return { removed, more: true }
  }

  async #mailboxes(phase: Extract<Phase, { kind: 'mailboxes' }>): Promise<Turn> {
    const { wholeBelow, afterAccount } = phase
    const rowsMax = this.#rows.size
    const floor = (await this.#database.one<{ floor: number }>('SELECT floor FROM retention'))?.floor ?? 0
    if (floor <= Math.max(this.#mailboxFloor, wholeBelow)) return this.#mailboxesDone(0)
    const looked = await this.#database.one<Looked>(DROP_REFERENCES, [afterAccount, rowsMax, floor, wholeBelow])
    const { removed = 0, accounts = 0, lastAccount = null } = looked ?? {}
    // Rows of these accounts may be left: the next turn reads them again.
    if (removed >= rowsMax) return { removed, more: true }
    if (accounts >= rowsMax && lastAccount !== null) {
      this.#phase = { ...phase, afterAccount: lastAccount }
      return { removed, more: true }
    }
    this.#mailboxFloor = floor
    return this.#mailboxesDone(removed)
  }

  #mailboxesDone(removed: number): Turn {
    this.#phase = { kind: 'rest' }
    return { removed, more: true }
  }

  async #rest(nowMs: number): Promise<Turn> {
    const { limits, keyPackages, invites, deleted } = this.#parts
    const rowsMax = this.#rows.size
    const beforeMs = nowMs - limits.keepEntriesMs
    const removed = [
      await this.#removed(DROP_GROUPS, beforeMs),
      await keyPackages.expire(beforeMs, rowsMax),
      await this.#database.run(DROP_PAST_MEMBERS, [nowMs - limits.keepPastMembersMs, rowsMax]),
      await invites.expire(nowMs, rowsMax),
      await this.#database.run(DROP_CONTACTS, [dayOf(beforeMs), rowsMax]),
      await this.#database.run(DROP_ATTENTION, [Math.max(beforeMs, nowMs - pushLimits.ttlMs), rowsMax]),
    ]
    const purged = await deleted.purge(nowMs, rowsMax)
    if (!purged.more && !removed.includes(rowsMax)) this.#phase = { kind: 'partitions' }
    return { removed: removed.reduce((sum, count) => sum + count) + purged.removed, more: true }
  }

  /** The rows in dropped partitions were already counted as entries, when they expired. */
  async #partitions(nowMs: number): Promise<Turn> {
    // First: anything that blocks a partition, for example a dump of all tables, must not block the rest.
    this.#phase = { kind: 'entries' }
    await this.#parts.partitions.tend(nowMs)
    return { removed: 0, more: false }
  }

  async #removed(statement: string, beforeMs: number): Promise<number> {
    const values = [beforeMs, this.#rows.size]
    return (await this.#database.one<{ removed: number }>(statement, values))?.removed ?? 0
  }
}
