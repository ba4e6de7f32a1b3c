// The relay's store on one SQLite file: one process, one writer, all of a turn's writes in one durable transaction.
import {
  type AccountId,
  type BlobId,
  type Clock,
  CodedError,
  type GroupId,
  type MessageId,
  type Timer,
} from '@postern/protocol'
import type { Verdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { Wake } from '../wake.ts'
import type {
  Append,
  Commit,
  NewAccount,
  NewGroup,
  Page,
  PageBounds,
  PublishedKeyPackages,
  RelayStore,
  StoredAccount,
  StoredBlob,
  StoredProfile,
  TakenKeyPackage,
} from './relay-store.ts'
import { AccountRows } from './sqlite/account-rows.ts'
import { appendEntry, knownVerdict, type LogParts } from './sqlite/append-entry.ts'
import { BlobRows } from './sqlite/blob-rows.ts'
import { commitEntry } from './sqlite/commit-entry.ts'
import { ContactRows } from './sqlite/contact-rows.ts'
import { ContinuationRows } from './sqlite/continuation-rows.ts'
import { createGroup } from './sqlite/create-group.ts'
import { openDatabase, type Sqlite } from './sqlite/database.ts'
import { DayBytes } from './sqlite/day-bytes.ts'
import { EntryRows } from './sqlite/entry-rows.ts'
import { GroupCommit } from './sqlite/group-commit.ts'
import { GroupRows } from './sqlite/group-rows.ts'
import { KeyPackageRows } from './sqlite/key-package-rows.ts'
import { MailboxFill } from './sqlite/mailbox-fill.ts'
import { MailboxRows } from './sqlite/mailbox-rows.ts'
import { RecentEntries } from './sqlite/recent-entries.ts'
import { SetClock } from './sqlite/set-clock.ts'
import { SweepRows } from './sqlite/sweep-rows.ts'

export type StoreOptions = { directory: string; limits: RelayLimits; wake: Wake; clock: Clock }

export const openSqliteStore = (options: StoreOptions): RelayStore => new SqliteStore(options)

class SqliteStore implements RelayStore {
  readonly #db: Sqlite
  readonly #options: StoreOptions
  readonly #log: LogParts
  readonly #mailboxes: MailboxRows
  readonly #keyPackages: KeyPackageRows
  readonly #blobs: BlobRows
  readonly #sweep: SweepRows
  readonly #setClock: SetClock
  readonly #writes: GroupCommit
  #acknowledgeSoon: Timer | undefined

  constructor(options: StoreOptions) {
    const { limits } = options
    const db = openDatabase(options.directory, limits.databaseBytesMax)
    const dayBytes = new DayBytes(db, limits)
    const accounts = new AccountRows(db, { dayBytes, limits })
    const continuations = new ContinuationRows(db, limits)
    const groups = new GroupRows(db, { accounts, continuations, limits })
    this.#db = db
    this.#options = options
    const recent = new RecentEntries(limits.recentEntriesBytesMax)
    const contacts = new ContactRows(db, limits)
    const entries = new EntryRows(db, recent)
    const fill = new MailboxFill(db, limits)
    this.#log = { accounts, groups, contacts, continuations, entries, dayBytes, fill }
    this.#mailboxes = new MailboxRows(db, { accounts, recent })
    this.#keyPackages = new KeyPackageRows(db, { accounts, dayBytes, limits })
    this.#blobs = new BlobRows(db, { accounts, limits })
    this.#setClock = new SetClock(db, limits)
    this.#sweep = new SweepRows(db, { accounts, groups, continuations, keyPackages: this.#keyPackages, limits })
    this.#writes = new GroupCommit(db, { writesMax: limits.writesPerTransactionMax, hooks: this.#hooks() })
  }

  #hooks() {
    const { accounts, groups, entries, dayBytes } = this.#log
    return {
      beforeCommit: () => {
        groups.writeChanged()
        this.#mailboxes.writeWaiting()
      },
      committed: () => {
        entries.committed()
        this.#mailboxes.committed()
      },
      rolledBack: () => {
        accounts.forget()
        dayBytes.forget()
        groups.forget()
        entries.forget()
        this.#sweep.forget()
        this.#mailboxes.rolledBack()
      },
      answered: () => this.#options.wake.notify(entries.takeTouched()),
    }
  }

  registerAccount(account: AccountId, given: NewAccount): Promise<'created' | 'exists'> {
    return this.#writes.run(() => this.#log.accounts.register(account, given))
  }

  async getAccount(account: AccountId): Promise<StoredAccount | undefined> {
    return this.#log.accounts.get(account)
  }

  raiseSerial(account: AccountId, seen: number): Promise<number> {
    return this.#writes.run(() => this.#log.accounts.raiseSerial(account, seen))
  }

  putProfile(account: AccountId, profile: { version: number; blob: Uint8Array; nowMs: number }) {
    return this.#writes.run(() => this.#log.accounts.putProfile(account, profile))
  }

  async getProfile(account: AccountId): Promise<StoredProfile | undefined> {
    return this.#log.accounts.getProfile(account)
  }

  publishKeyPackages(account: AccountId, published: PublishedKeyPackages): Promise<number> {
    return this.#writes.run(() => this.#keyPackages.publish(account, published))
  }

  takeKeyPackage(account: AccountId, nowMs: number): Promise<TakenKeyPackage | undefined> {
    return this.#writes.run(() => this.#keyPackages.take(account, nowMs))
  }

  async hasKeyPackage(account: AccountId): Promise<boolean> {
    return this.#keyPackages.has(account)
  }

  async readMailbox(account: AccountId, after: number, bounds: PageBounds): Promise<Page> {
    return this.#mailboxes.read(account, after, bounds)
  }

  async mailboxHead(account: AccountId): Promise<number> {
    await this.#writes.caughtUp()
    return this.#mailboxes.head(account)
  }

  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void> {
    const done = this.#mailboxes.acknowledge(account, reached)
    this.#acknowledgeWithin(this.#options.limits.acknowledgeWithinMs)
    return done
  }

  /** It needs no fsync of its own: what is lost with a crash is delivered once more. What cannot be written waits on. */
  #acknowledgeWithin(afterMs: number): void {
    const { clock, limits } = this.#options
    this.#acknowledgeSoon ??= clock.setTimer(afterMs, () => {
      this.#acknowledgeSoon = undefined
      if (!this.#mailboxes.waits) return
      this.#writes.run(() => undefined).catch(() => this.#acknowledgeWithin(limits.acknowledgeRetryMs))
    })
  }

  createGroup(group: GroupId, by: NewGroup): Promise<'created' | 'exists'> {
    return this.#writes.run(() => createGroup(this.#log, group, by))
  }

  async getGroup(id: GroupId, by: AccountId): Promise<{ epoch: number; members: AccountId[] }> {
    const group = this.#log.groups.ofMember(id, by)
    return { epoch: group.epoch, members: [...group.members.values()] }
  }

  append(append: Append): Promise<Verdict> {
    return this.#writes.run(() => appendEntry(this.#log, append))
  }

  commit(commit: Commit): Promise<Verdict> {
    return this.#writes.run(() => commitEntry(this.#log, commit, this.#options.limits))
  }

  async outcome(message: MessageId, of: { group: GroupId; by: AccountId }): Promise<Verdict> {
    const { accounts, groups } = this.#log
    // A message that waits for its transaction must not be told to be in no log.
    await this.#writes.caughtUp()
    const group = groups.find(of.group)
    if (!group) throw new CodedError('group-unknown')
    const known = knownVerdict(this.#log, group, { message, by: accounts.numberOf(of.by) })
    return known ?? { accepted: undefined, epoch: groups.ofMember(of.group, of.by).epoch }
  }

  beginBlob(blob: BlobId, given: Parameters<RelayStore['beginBlob']>[1]): Promise<void> {
    return this.#writes.run(() => this.#blobs.begin(blob, given))
  }

  async getBlob(blob: BlobId): Promise<StoredBlob | undefined> {
    return this.#blobs.get(blob)
  }

  finishBlob(blob: BlobId, done: { size: number; nowMs: number }): Promise<void> {
    return this.#writes.run(() => this.#blobs.finish(blob, done))
  }

  async expiredBlobs(nowMs: number, countMax: number): Promise<BlobId[]> {
    return this.#blobs.expired(this.#setClock.agesAt(nowMs), countMax)
  }

  forgetBlob(blob: BlobId, length: number): Promise<void> {
    return this.#writes.run(() => this.#blobs.forget(blob, length))
  }

  sweep(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return this.#writes.run(() => this.#sweep.turn(this.#setClock.agesAt(nowMs)))
  }

  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void> {
    return this.#writes.run(() => this.#setClock.note(set))
  }

  async flush(): Promise<void> {
    const last = this.#writes.run(() => undefined)
    this.#writes.flush()
    await last
  }

  async close(): Promise<void> {
    try {
      // Whoever waits for a write hears of its failure: here only acknowledgements are left, and they will come again.
      await this.flush().catch(() => undefined)
      this.#acknowledgeSoon?.cancel()
    } finally {
      this.#db.close()
    }
  }
}
