// Removes expired data in turns of bounded size, so that no sender waits long behind a sweep.
import { giveBackPages, type PagedDatabase, pushLimits } from '@postern/protocol'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { ContactRows } from '../accounts/contact-rows.ts'
import type { InviteRows } from '../accounts/invite-rows.ts'
import type { KeyPackageRows } from '../accounts/key-package-rows.ts'
import type { ContinuationRows } from '../groups/continuation-rows.ts'
import type { GroupRows } from '../groups/group-rows.ts'
import type { EntryRows } from '../mailboxes/entry-rows.ts'
import type { MailboxRows } from '../mailboxes/mailbox-rows.ts'
import type { AttentionRows } from '../push/attention-rows.ts'
import type { DeletedRows } from './deleted-rows.ts'
import type { RetentionRows } from './retention-rows.ts'

type Phase = { kind: 'entries' } | { kind: 'mailboxes'; afterAccount: number } | { kind: 'rest' } | { kind: 'pages' }
type Parts = {
  pages: PagedDatabase
  entries: EntryRows
  mailboxes: MailboxRows
  retention: RetentionRows
  groups: GroupRows
  keyPackages: KeyPackageRows
  continuations: ContinuationRows
  invites: InviteRows
  contacts: ContactRows
  deleted: DeletedRows
  attention: AttentionRows
  limits: RelayLimits
}

export class Sweep {
  readonly #parts: Parts
  #phase: Phase = { kind: 'entries' }
  /** Mailboxes have nothing below it. */
  #mailboxFloor = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Values in memory may come from a turn that was rolled back. */
  forget(): void {
    this.#phase = { kind: 'entries' }
    this.#mailboxFloor = 0
  }

  turn(nowMs: number): { removed: number; more: boolean } {
    const phase = this.#phase
    switch (phase.kind) {
      case 'entries':
        return this.#entries(nowMs - this.#parts.limits.keepEntriesMs)
      case 'mailboxes':
        return this.#mailboxes(phase.afterAccount)
      case 'rest':
        return this.#rest(nowMs)
      case 'pages':
        return this.#pages()
    }
  }

  #entries(beforeMs: number): { removed: number; more: boolean } {
    const { entries, mailboxes, retention, limits } = this.#parts
    const rowsMax = limits.sweepRowsPerTurn
    const oldest = entries.oldest(rowsMax)
    const firstKept = oldest.findIndex(entry => entry.ts >= beforeMs)
    const removed = firstKept === -1 ? oldest.length : firstKept
    const last = oldest[removed - 1]
    if (last) {
      retention.raiseFloor(last.pos + 1)
      entries.dropBelow(last.pos + 1)
      mailboxes.entriesDropped()
    }
    if (removed < rowsMax) this.#phase = { kind: 'mailboxes', afterAccount: 0 }
    return { removed, more: true }
  }

  #mailboxes(afterAccount: number): { removed: number; more: boolean } {
    const { mailboxes, retention, limits } = this.#parts
    const rowsMax = limits.sweepRowsPerTurn
    const floor = retention.floor()
    let removed = 0
    let account: number | undefined = afterAccount
    for (let seeks = 0; seeks < rowsMax && floor > this.#mailboxFloor; seeks++) {
      account = mailboxes.nextAccount(account)
      if (account === undefined) break
      removed += mailboxes.dropBelow(floor, { account, countMax: rowsMax - removed })
      // Rows of this account may be left: the next turn starts with it again.
      if (removed >= rowsMax) return this.#pause(account - 1, removed)
    }
    if (account !== undefined && floor > this.#mailboxFloor) return this.#pause(account, removed)
    this.#mailboxFloor = floor
    this.#phase = { kind: 'rest' }
    return { removed, more: true }
  }

  #pause(afterAccount: number, removed: number): { removed: number; more: boolean } {
    this.#phase = { kind: 'mailboxes', afterAccount }
    return { removed, more: true }
  }

  #rest(nowMs: number): { removed: number; more: boolean } {
    const { limits, groups, keyPackages, continuations, invites, contacts, deleted, attention } = this.#parts
    const rowsMax = limits.sweepRowsPerTurn
    const beforeMs = nowMs - limits.keepEntriesMs
    const removed = [
      groups.expire(beforeMs, rowsMax),
      keyPackages.expire(beforeMs, rowsMax),
      continuations.expire(nowMs, rowsMax),
      invites.expire(nowMs, rowsMax),
      contacts.expire(beforeMs, rowsMax),
      attention.expire(Math.max(beforeMs, nowMs - pushLimits.ttlMs), rowsMax),
    ]
    const purged = deleted.purge(nowMs)
    const more = purged.more || removed.includes(rowsMax)
    removed.push(purged.removed)
    if (!more) this.#phase = { kind: 'pages' }
    return { removed: removed.reduce((sum, count) => sum + count), more: true }
  }

  #pages(): { removed: number; more: boolean } {
    const more = giveBackPages(this.#parts.pages)
    if (!more) this.#phase = { kind: 'entries' }
    return { removed: 0, more }
  }
}
