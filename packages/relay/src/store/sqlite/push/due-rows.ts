// Finds devices with entries that wait for a push.
import { type GroupId, pushLimits } from '@postern/protocol'
import type { AwayDevice, AwayPage, DueDevice, MailboxLook, PushLook } from '../../push-store.ts'
import { type DueRow, dueGroups } from '../../rules/due-entries.ts'
import type { Sqlite } from '../database.ts'

/** `isVoid`: its certificate was revoked. `isBanned`: its account. */
type SubscriptionRow = AwayDevice & { isVoid: number; isBanned: number }
type Window = { account: number; after: number; rowsMax: number }
type Members = { group: number; after: number; last: number }
type Subscriptions = { rows: SubscriptionRow[]; next: string | undefined }

const COLUMNS = `s.device, s.account, s.endpoint, s.p256dh, s.auth, s.muted, s.set_ms AS setMs, s.pushed,
  a.cursor AS read, s.serial < a.serial AS isVoid, a.banned_ms IS NOT NULL AS isBanned`
const WINDOW = 'SELECT pos FROM mailbox WHERE account = @account AND pos > @after ORDER BY pos LIMIT 0 + @rowsMax'

export class DueRows {
  readonly #sql

  constructor(db: Sqlite) {
    this.#sql = {
      // Pages are of members: ordered by devices, every page of a large group would read all its subscriptions.
      lastOfPage: db
        .prepare<[number, number, number], number>(
          'SELECT account FROM member WHERE chat_group = ? AND account > ? ORDER BY account LIMIT 1 OFFSET 0 + ?',
        )
        .pluck(),
      // The order of the tables is part of it: a chat of two must not read all subscriptions.
      ofMembers: db.prepare<[Members], SubscriptionRow>(
        `SELECT ${COLUMNS} FROM member m CROSS JOIN push_subscription s ON s.account = m.account
         CROSS JOIN account a ON a.num = s.account
         WHERE m.chat_group = @group AND m.account > @after AND m.account <= @last`,
      ),
      all: db.prepare<[string, number], SubscriptionRow>(
        `SELECT ${COLUMNS} FROM push_subscription s CROSS JOIN account a ON a.num = s.account
         WHERE s.device > ? ORDER BY s.device LIMIT 0 + ?`,
      ),
      one: db.prepare<[string], SubscriptionRow>(
        `SELECT ${COLUMNS} FROM push_subscription s CROSS JOIN account a ON a.num = s.account
         WHERE s.device = ?`,
      ),
      group: db.prepare<[number], GroupId>('SELECT id FROM chat_group WHERE num = ?').pluck(),
      window: db.prepare<[Window], { count: number; last: number | null }>(
        `SELECT count(*) AS count, max(pos) AS last FROM (${WINDOW})`,
      ),
      marked: db.prepare<[Window & { sinceMs: number }], DueRow>(
        `SELECT m.pos, m.pos AS entry, g.id AS "group", n.is_mention AS isMention, p.id AS sender, e.message, e.ts
         FROM (${WINDOW}) m CROSS JOIN attention n ON n.pos = m.pos CROSS JOIN entry e ON e.pos = m.pos
         CROSS JOIN chat_group g ON g.num = e.chat_group CROSS JOIN account p ON p.num = e.sender
         WHERE n.ts > @sinceMs ORDER BY m.pos`,
      ),
    }
  }

  /** `isVoid` is called for subscriptions whose devices are no longer the account's. */
  look(asked: PushLook, isVoid: (device: string) => void): AwayPage {
    const { rows, next } = this.#subscriptions(asked)
    for (const row of rows) if (row.isVoid) isVoid(row.device)
    const away = rows.filter(row => !row.isVoid && !row.isBanned)
    const group = asked.kind === 'group' ? this.#sql.group.get(asked.group) : undefined
    return { away, next, group, isEarly: false }
  }

  read({ nowMs, mailboxes }: MailboxLook): DueDevice[] {
    return mailboxes.map(({ of, after }) => {
      const window = { account: of.account, after, rowsMax: pushLimits.entriesPerLook }
      const { count = 0, last = null } = this.#sql.window.get(window) ?? {}
      if (last === null) return { ...of, after, through: after, entriesRead: 0, more: false, groups: new Map() }
      const groups = dueGroups(this.#sql.marked.iterate({ ...window, sinceMs: nowMs - pushLimits.ttlMs }), of.muted)
      return { ...of, after, through: last, entriesRead: count, more: count === pushLimits.entriesPerLook, groups }
    })
  }

  #subscriptions(asked: PushLook): Subscriptions {
    switch (asked.kind) {
      case 'group':
        return this.#ofGroup(asked.group, Number(asked.after))
      case 'devices':
        return { rows: asked.devices.flatMap(device => this.#sql.one.get(device) ?? []), next: undefined }
      case 'all': {
        const rows = this.#sql.all.all(asked.after, pushLimits.devicesPerLook)
        return { rows, next: rows.length === pushLimits.devicesPerLook ? rows.at(-1)?.device : undefined }
      }
    }
  }

  #ofGroup(group: number, after: number): Subscriptions {
    const last = this.#sql.lastOfPage.get(group, after, pushLimits.membersPerLook - 1)
    const rows = this.#sql.ofMembers.all({ group, after, last: last ?? Number.MAX_SAFE_INTEGER })
    return { rows, next: last === undefined ? undefined : String(last) }
  }
}
