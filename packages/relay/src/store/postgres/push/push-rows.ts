// Subscriptions of devices at push services, and the key by which these know the relays.
import { bytesOf, CodedError, type GroupId, postgresLimits, pushLimits, relayFixedLimits } from '@postern/protocol'
import type { DeviceClaim, Fence } from '../../fence.ts'
import type {
  AwayDevice,
  AwayPage,
  DueDevice,
  MailboxLook,
  PushKeyPair,
  PushLook,
  PushStore,
  PushSubscription,
} from '../../push-store.ts'
import { type DueRow, dueGroups } from '../../rules/due-entries.ts'
import type { AccountLock } from '../accounts/account-lock.ts'
import { BatchQueue } from '../connection/batch-queue.ts'
import type { Postgres } from '../connection/database.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import { HINT_CHANNEL, type Hints } from '../connection/hints.ts'
import type { Queries } from '../connection/queries.ts'

const KEY = 'SELECT private_key AS "privateKey", public_key AS "publicKey" FROM push_key'

/** A device that comes back keeps its position: what was not pushed yet still is. */
const SET = `
  INSERT INTO push_subscription (device, account, serial, endpoint, p256dh, auth, muted, set_ms, pushed)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, greatest(
    (SELECT cursor FROM progress WHERE account = $2), (SELECT max(pos) FROM mailbox WHERE account = $2), 0))
  ON CONFLICT (device) DO UPDATE SET account = excluded.account, serial = excluded.serial,
    endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth, muted = excluded.muted,
    set_ms = excluded.set_ms`

/**
 * How far the account of each subscription is, and whether some relay that is alive holds the device. The limits keep the
 * order of the reads: a plan made for small tables would join all accounts before it is cut to a page.
 */
const detailsOf = (page: string): string => `
  WITH alive AS (
    SELECT objid::bigint AS relay FROM pg_locks WHERE locktype = 'advisory' AND classid = 9 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  SELECT s.device, s.account, s.endpoint, s.p256dh, s.auth, s.muted, s.set_ms AS "setMs", s.pushed,
    s.serial < a.serial AS "isVoid", a.banned_ms IS NOT NULL AS "isBanned",
    coalesce((SELECT cursor FROM progress WHERE account = s.account), 0) AS read,
    coalesce(d.generation <> s.away
      AND (d.relay IS NULL OR (hashtext(d.relay)::bigint & 4294967295) IN (SELECT relay FROM alive)), false) AS "isHere"
  FROM (${page}) s
    CROSS JOIN LATERAL (SELECT serial, banned_ms FROM account WHERE num = s.account LIMIT 1) a
    LEFT JOIN LATERAL (SELECT generation, relay FROM device WHERE key = s.device LIMIT 1) d ON true`
const OF_MEMBERS = detailsOf(`
  SELECT of_member.* FROM (
    SELECT DISTINCT account FROM member WHERE chat_group = $1 AND account > $2::integer AND account <= $3::integer) m
  CROSS JOIN LATERAL (SELECT * FROM push_subscription WHERE account = m.account OFFSET 0) of_member`)
const OF_DEVICES = detailsOf('SELECT * FROM push_subscription WHERE device = ANY ($1::text[])')
const OF_ALL = `${detailsOf('SELECT * FROM push_subscription WHERE device > $1 ORDER BY device LIMIT $2')}
  ORDER BY s.device`

/** Accounts are numbers of this type, up to here. */
const LAST_ACCOUNT = 2 ** 31 - 1
/**
 * Whether entries of the group are not in their mailboxes yet, and the last member of the page. Pages are of members:
 * ordered by devices, every page of a large group would read all its subscriptions.
 */
const GROUP = `
  SELECT (SELECT id FROM chat_group WHERE num = $1) AS "group",
    EXISTS (SELECT 1 FROM outbox WHERE chat_group = $1 AND id >= (SELECT outbox_floor())) AS "isEarly",
    (SELECT DISTINCT account FROM member WHERE chat_group = $1 AND account > $2::integer
      ORDER BY account LIMIT 1 OFFSET $3) AS last`

const MARKED = `
  SELECT asked.n, found.* FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS asked (account, after, n)
  CROSS JOIN LATERAL (
    SELECT m.pos, m.entry, (SELECT id FROM chat_group WHERE num = e.chat_group) AS "group", x.is_mention AS "isMention",
      (SELECT id FROM account WHERE num = e.sender) AS sender, e.message, e.ts
    FROM (SELECT pos, entry FROM mailbox WHERE account = asked.account AND pos > asked.after ORDER BY pos LIMIT $3) m
    JOIN attention x ON x.entry = m.entry JOIN entry e ON e.id = m.entry
    WHERE x.ts > $4) found
  ORDER BY asked.n, found.pos`

const WINDOWS = `
  SELECT asked.n, count(m.pos) AS count, max(m.pos) AS last
  FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS asked (account, after, n)
  CROSS JOIN LATERAL (
    SELECT pos FROM mailbox WHERE account = asked.account AND pos > asked.after ORDER BY pos LIMIT $3) m
  GROUP BY asked.n`

const LEFT = `
  UPDATE push_subscription s SET away = l.generation FROM unnest($1::text[], $2::bigint[]) AS l (device, generation)
  WHERE s.device = l.device AND s.away < l.generation
  RETURNING pg_notify('${HINT_CHANNEL}', 'left ' || $3 || ' ' || s.device)`

const DROP_OLDEST = `
  DELETE FROM push_subscription WHERE account = $1 AND (serial < (SELECT serial FROM account WHERE num = $1)
    OR device IN (SELECT device FROM push_subscription WHERE account = $1 ORDER BY set_ms DESC OFFSET $2))`

export class PgPushRows implements PushStore {
  readonly #database: Postgres
  readonly #turns: AccountLock
  readonly #line: DedicatedConnection
  readonly #left: BatchQueue<Fence, undefined>
  /** The connection that holds the lock. */
  #leader: object | undefined

  constructor(database: Postgres, { turns, hints }: { turns: AccountLock; hints: Hints }) {
    this.#database = database
    this.#turns = turns
    this.#line = database.line()
    const note = async (left: readonly Fence[]): Promise<undefined[]> => {
      const devices = left.map(({ device }) => device)
      await database.rows(LEFT, [devices, left.map(({ generation }) => generation), hints.own])
      return left.map(() => undefined)
    }
    this.#left = new BatchQueue({ run: note, batchMax: postgresLimits.batchClaims, keyOf: ({ device }) => device })
  }

  async keyPair(candidate: () => PushKeyPair): Promise<PushKeyPair> {
    const known = await this.#database.one<PushKeyPair>(KEY)
    if (known) return known
    const made = candidate()
    await this.#database.run(
      'INSERT INTO push_key (private_key, public_key) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [made.privateKey, made.publicKey].map(bytes => Buffer.from(bytes)),
    )
    return (await this.#database.one<PushKeyPair>(KEY)) ?? made
  }

  async set(
    { device, account, serial }: DeviceClaim,
    { endpoint, p256dh, auth, muted, nowMs }: PushSubscription & { nowMs: number },
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#turns.run(
      account,
      async (tx, { num }) => {
        const bytes = [p256dh, auth, Buffer.concat(muted.map(bytesOf))].map(each => Buffer.from(each))
        await tx.run(SET, [device, num, serial, endpoint, ...bytes, nowMs])
        await tx.run(DROP_OLDEST, [num, relayFixedLimits.subscriptionsPerAccountMax])
      },
      signal,
    )
  }

  async drop(device: string, endpoint: string): Promise<void> {
    await this.#line.use(on =>
      on.run('DELETE FROM push_subscription WHERE device = $1 AND endpoint = $2', [device, endpoint]),
    )
  }

  /** The lock belongs to the connection, and so do all looks: a relay that lost the lock finds nothing. */
  async lead(): Promise<boolean> {
    const client = await this.#line.connected()
    if (this.#leader === client) return true
    const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock(10, 1) AS "isOurs"')
    this.#leader = rows[0]?.isOurs ? client : undefined
    return this.#leader !== undefined
  }

  async look(asked: PushLook): Promise<AwayPage> {
    return await this.#asLeader(on => this.#lookOn(on, asked))
  }

  async read(asked: MailboxLook): Promise<DueDevice[]> {
    return await this.#asLeader(on => readOn(on, asked))
  }

  async #asLeader<T>(work: (on: Queries) => Promise<T>): Promise<T> {
    const client = await this.#line.connected()
    // Another connection, without the lock.
    if (this.#leader !== client) throw new CodedError('unavailable')
    return await this.#line.use(work)
  }

  async #lookOn(on: Queries, asked: PushLook): Promise<AwayPage> {
    const { rows, ...page } = await subscriptionsOf(on, asked)
    const gone = rows.filter(({ isVoid }) => isVoid).map(({ device }) => device)
    if (gone.length > 0) await on.run('DELETE FROM push_subscription WHERE device = ANY ($1::text[])', [gone])
    const away = rows.filter(({ isVoid, isBanned, isHere }) => !isVoid && !isBanned && !isHere)
    return { away, ...page }
  }

  async previewOf(entry: number): Promise<Uint8Array | undefined> {
    const row = await this.#line.use(on =>
      on.one<{ preview: Uint8Array | null }>('SELECT preview FROM attention WHERE entry = $1', [entry]),
    )
    return row?.preview ?? undefined
  }

  async notePushed(reached: readonly { device: string; pos: number }[]): Promise<void> {
    await this.#line.use(on =>
      on.run(
        `UPDATE push_subscription s SET pushed = r.pos FROM unnest($1::text[], $2::bigint[]) AS r (device, pos)
         WHERE s.device = r.device AND s.pushed < r.pos`,
        [reached.map(({ device }) => device), reached.map(({ pos }) => pos)],
      ),
    )
  }

  /** Devices without a subscription, which are most, change no row. */
  async noteLeft(fence: Fence): Promise<void> {
    await this.#left.ask(fence)
  }

  async clear(device: string, signal?: AbortSignal): Promise<void> {
    await this.#database.until(signal).run('DELETE FROM push_subscription WHERE device = $1', [device])
  }
}

type SubscriptionRow = AwayDevice & { isVoid: boolean; isBanned: boolean; isHere: boolean }

type Subscriptions = Omit<AwayPage, 'away'> & { rows: SubscriptionRow[] }

const NO_GROUP = { group: undefined, isEarly: false }

async function subscriptionsOf(on: Queries, asked: PushLook): Promise<Subscriptions> {
  switch (asked.kind) {
    case 'group':
      return await ofGroup(on, asked.group, Number(asked.after))
    case 'devices':
      return { ...NO_GROUP, rows: await on.rows(OF_DEVICES, [asked.devices]), next: undefined }
    case 'all': {
      const rows = await on.rows<SubscriptionRow>(OF_ALL, [asked.after, pushLimits.devicesPerLook])
      return { ...NO_GROUP, rows, next: rows.length === pushLimits.devicesPerLook ? rows.at(-1)?.device : undefined }
    }
  }
}

/** Before the mailboxes are read: entries that it does not find in the outbox are in a mailbox by then. */
async function ofGroup(on: Queries, num: number, after: number): Promise<Subscriptions> {
  const page = [num, after, pushLimits.membersPerLook - 1]
  const found = await on.one<{ group: GroupId | null; isEarly: boolean; last: number | null }>(GROUP, page)
  const { group, isEarly = false, last } = found ?? {}
  const rows = await on.rows<SubscriptionRow>(OF_MEMBERS, [num, after, last ?? LAST_ACCOUNT])
  return { group: group ?? undefined, isEarly, rows, next: last ? String(last) : undefined }
}

async function readOn(on: Queries, { nowMs, mailboxes }: MailboxLook): Promise<DueDevice[]> {
  const accounts = mailboxes.map(({ of }) => of.account)
  const windows = [accounts, mailboxes.map(({ after }) => after), pushLimits.entriesPerLook]
  const windowsRead = await on.rows<{ n: number; count: number; last: number }>(WINDOWS, windows)
  // Most mailboxes have nothing new, and then there is nothing to look up.
  const marked =
    windowsRead.length > 0 ? await on.rows<DueRow & { n: number }>(MARKED, [...windows, nowMs - pushLimits.ttlMs]) : []
  const windowOf = new Map(windowsRead.map(each => [each.n, each]))
  const byDevice = Map.groupBy(marked, ({ n }) => n)
  return mailboxes.map(({ of, after }, at) => {
    const { count, last } = windowOf.get(at + 1) ?? { count: 0, last: after }
    const groups = dueGroups(
      (byDevice.get(at + 1) ?? []).filter(({ pos }) => pos <= last),
      of.muted,
    )
    return { ...of, after, through: last, entriesRead: count, more: count === pushLimits.entriesPerLook, groups }
  })
}
