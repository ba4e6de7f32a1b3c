// The relay's store on one SQLite file: one process, one writer, all of a turn's writes in one durable transaction.
import { type AccountId, type BlobId, CodedError, type GroupId, type MessageId, type Timer } from '@postern/protocol'
import { INCARNATION_BYTES, type Verdict } from '@postern/protocol/relay'
import type {
  AccountFacts,
  AccountsAsked,
  Append,
  BlobPartStore,
  Commit,
  HandedOutKeyPackage,
  NewAccount,
  NewGroup,
  Page,
  PageBounds,
  PublishedKeyPackages,
  RelayStore,
  StoredAccount,
  StoredBlob,
  StoredProfile,
  StoreFigures,
  StoreOptions,
} from '../relay-store.ts'
import { AccountRows } from './account-rows.ts'
import { appendEntry, knownVerdict } from './append-entry.ts'
import { BlobPartRows, blobPartStore } from './blob-part-rows.ts'
import { BlobRows } from './blob-rows.ts'
import { commitEntry } from './commit-entry.ts'
import { ContactRows } from './contact-rows.ts'
import { ContinuationRows } from './continuation-rows.ts'
import { createGroup } from './create-group.ts'
import { databaseBytes, holdFile, openDatabase, type Sqlite, storageError } from './database.ts'
import { DatabaseRoom } from './database-room.ts'
import { DayBytes } from './day-bytes.ts'
import { EntryRows } from './entry-rows.ts'
import { GroupCommit } from './group-commit.ts'
import { GroupRows } from './group-rows.ts'
import { incarnationIn } from './incarnation-rows.ts'
import { InviteRows } from './invite-rows.ts'
import { KeyPackageRows } from './key-package-rows.ts'
import type { LogParts } from './log-parts.ts'
import { MailboxFill } from './mailbox-fill.ts'
import { MailboxRows } from './mailbox-rows.ts'
import { MailboxTails } from './mailbox-tails.ts'
import { refuseMoved } from './move-note-rows.ts'
import { ProfileRows } from './profile-rows.ts'
import { RecentEntries } from './recent-entries.ts'
import { RetentionRows } from './retention-rows.ts'
import { Sweep } from './sweep.ts'

export const openSqliteStore = (options: StoreOptions): RelayStore => new SqliteStore(options)

class SqliteStore implements RelayStore {
  readonly kind = 'sqlite'
  readonly incarnation: Uint8Array
  readonly blobParts: BlobPartStore
  readonly #db: Sqlite
  readonly #options: StoreOptions
  readonly #log: LogParts
  readonly #profiles: ProfileRows
  readonly #keyPackages: KeyPackageRows
  readonly #blobs: BlobRows
  readonly #invites: InviteRows
  readonly #retention: RetentionRows
  readonly #sweep: Sweep
  readonly #writes: GroupCommit
  #acknowledgeSoon: Timer | undefined

  constructor(options: StoreOptions) {
    const { limits } = options
    const db = openDatabase(options.directory, limits.databaseBytesMax)
    refuseMoved(db, options.directory)
    const invites = new InviteRows(db, limits)
    const room = new DatabaseRoom(db, { bytesMax: limits.databaseBytesMax, disk: options.disk })
    const accounts = new AccountRows(db, { invites, limits, room })
    const dayBytes = new DayBytes({ accounts, limits, room })
    const continuations = new ContinuationRows(db, limits)
    const groups = new GroupRows(db, { accounts, continuations, limits })
    const contacts = new ContactRows(db, { accounts, limits })
    const recent = new RecentEntries(limits.recentEntriesBytesMax)
    const entries = new EntryRows(db, recent)
    const mailboxes = new MailboxRows(db, { accounts, recent, tails: new MailboxTails(limits.accountsCachedMax) })
    const fill = new MailboxFill(mailboxes, limits)
    const keyPackages = new KeyPackageRows(db, { accounts, dayBytes, limits })
    const retention = new RetentionRows(db, limits)
    const blobParts = new BlobPartRows(db, room)
    this.#db = db
    this.incarnation = incarnationIn(db) ?? new Uint8Array(INCARNATION_BYTES)
    this.#options = options
    this.#log = { accounts, groups, contacts, continuations, entries, mailboxes, dayBytes, fill }
    this.#profiles = new ProfileRows(db, { accounts, dayBytes })
    this.#keyPackages = keyPackages
    this.#blobs = new BlobRows(db, { accounts, limits, room, parts: blobParts })
    this.#invites = invites
    this.#retention = retention
    this.#sweep = new Sweep({ entries, mailboxes, retention, groups, keyPackages, continuations, invites, limits })
    this.#writes = new GroupCommit(db, {
      writesMax: limits.writesPerTransactionMax,
      hooks: this.#hooks(),
      observe: options.observe,
    })
    this.blobParts = blobPartStore(blobParts, this.#writes)
  }

  #hooks() {
    const { accounts, groups, entries, mailboxes, dayBytes } = this.#log
    return {
      beforeCommit: () => {
        groups.writeChanged()
        mailboxes.writeAcknowledged()
      },
      committed: () => {
        entries.committed()
        mailboxes.committed()
      },
      rolledBack: () => {
        accounts.forget()
        dayBytes.forget()
        groups.forget()
        entries.forget()
        this.#sweep.forget()
        mailboxes.rolledBack()
      },
      durable: () => this.#options.wake.notify(mailboxes.drainGrown()),
    }
  }

  registerAccount(account: AccountId, given: NewAccount): Promise<'created' | 'exists'> {
    return this.#writes.run(() => this.#log.accounts.register(account, given))
  }

  async getAccount(account: AccountId): Promise<StoredAccount | undefined> {
    const { accounts, mailboxes } = this.#log
    // By what it has acknowledged, a login finds out that a database is an old copy. A full disk keeps nobody out.
    if (mailboxes.hasUnwrittenOf(account)) await this.#writes.run(() => undefined).catch(() => undefined)
    return accounts.get(account)
  }

  raiseSerial(account: AccountId, seen: number): Promise<number> {
    return this.#writes.run(() => this.#log.accounts.raiseSerial(account, seen))
  }

  putProfile(account: AccountId, profile: { version: number; blob: Uint8Array; nowMs: number }) {
    return this.#writes.run(() => this.#profiles.put(account, profile))
  }

  async getProfile(account: AccountId): Promise<StoredProfile | undefined> {
    return this.#profiles.get(account)
  }

  publishKeyPackages(account: AccountId, published: PublishedKeyPackages): Promise<number> {
    return this.#writes.run(() => this.#keyPackages.publish(account, published))
  }

  handOutKeyPackage(account: AccountId, nowMs: number): Promise<HandedOutKeyPackage | undefined> {
    return this.#writes.run(() => this.#keyPackages.handOut(account, nowMs))
  }

  async hasKeyPackage(account: AccountId): Promise<boolean> {
    return this.#keyPackages.has(account)
  }

  readMailbox(account: AccountId, after: number, bounds: PageBounds): Page {
    return this.#log.mailboxes.read(account, after, bounds)
  }

  async mailboxHead(account: AccountId): Promise<number> {
    await this.#writes.caughtUp()
    return this.#log.mailboxes.head(account)
  }

  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void> {
    const done = this.#log.mailboxes.acknowledge(account, reached)
    this.#acknowledgeWithin(this.#options.limits.acknowledgeWithinMs)
    return done
  }

  /** It needs no fsync of its own: what is lost with a crash is delivered once more. What cannot be written waits on. */
  #acknowledgeWithin(afterMs: number): void {
    const { clock, limits } = this.#options
    this.#acknowledgeSoon ??= clock.setTimer(afterMs, () => {
      this.#acknowledgeSoon = undefined
      if (!this.#log.mailboxes.hasUnwritten) return
      this.#writes.run(() => undefined).catch(() => this.#acknowledgeWithin(limits.acknowledgeRetryMs))
    })
  }

  setBanned(account: AccountId, bannedMs: number | undefined): Promise<void> {
    return this.#writes.run(() => this.#log.accounts.setBanned(account, bannedMs))
  }

  async bannedAccounts(): Promise<AccountId[]> {
    return this.#log.accounts.banned()
  }

  noteSeen(account: AccountId, nowMs: number): Promise<void> {
    return this.#writes.run(() => this.#log.accounts.noteSeen(account, nowMs))
  }

  async listAccounts(asked: AccountsAsked): Promise<AccountFacts[]> {
    return this.#log.accounts.list(asked)
  }

  async getAccountFacts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined> {
    return this.#log.accounts.facts(account, nowMs)
  }

  async inviteUses(hash: Uint8Array): Promise<number> {
    return this.#invites.uses(hash)
  }

  async figures(): Promise<StoreFigures> {
    const { accounts, groups, entries } = this.#log
    const [oldest] = entries.oldest(1)
    const rows = { ...accounts.counts(), groups: groups.count(), ...this.#blobs.stored() }
    return { ...rows, ...databaseBytes(this.#db), oldestEntryMs: oldest?.ts }
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
    return this.#blobs.expired(this.#retention.agesAt(nowMs), countMax)
  }

  async unfinishedBlobs(): Promise<BlobId[]> {
    return this.#blobs.unfinished()
  }

  forgetBlob(blob: BlobId, length: number): Promise<void> {
    return this.#writes.run(() => this.#blobs.forget(blob, length))
  }

  async claimDevice(): Promise<undefined> {}

  asSweeper<T>(run: () => Promise<T>): Promise<T> {
    return run()
  }

  sweep(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return this.#writes.run(() => this.#sweep.turn(this.#retention.agesAt(nowMs)))
  }

  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void> {
    return this.#writes.run(() => this.#retention.noteClockSet(set))
  }

  async flush(): Promise<void> {
    const last = this.#writes.run(() => undefined)
    this.#writes.flush()
    await last
  }

  async hold(): Promise<() => void> {
    await this.flush()
    try {
      return holdFile(this.#db)
    } catch (cause) {
      throw storageError(cause)
    }
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
