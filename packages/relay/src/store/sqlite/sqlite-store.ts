// The relay's store on one SQLite file: one process, one writer, all writes of a turn in one durable transaction.
import { type AccountId, type BlobId, CodedError, type GroupId, type MessageId, type Timer } from '@postern/protocol'
import { INCARNATION_BYTES, type RelayVerdict } from '@postern/protocol/relay'
import type { PushStore } from '../push-store.ts'
import type {
  AccountFacts,
  AccountsAsked,
  Append,
  BlobPartStore,
  CommitEnvelope,
  FetchClaim,
  HandedOutKeyPackage,
  NewAccount,
  NewStoredGroup,
  Page,
  PageBounds,
  PublishedKeyPackages,
  RelayStore,
  StoreCounts,
  StoredAccount,
  StoredBlob,
  StoredProfile,
  StoreOptions,
} from '../relay-store.ts'
import { blobPartStore } from './blobs/blob-part-rows.ts'
import { databaseBytes, holdFile, openSteadily, type SteadyDatabase, statementsOf, storageError } from './database.ts'
import { GroupCommit } from './group-commit.ts'
import { appendEntry, knownVerdict } from './log/append-entry.ts'
import { commitEntry } from './log/commit-entry.ts'
import { createGroup } from './log/create-group.ts'
import { sqlitePushStore } from './push/push-store.ts'
import { commitHooks, type SqliteParts, sqlitePartsOf } from './sqlite-parts.ts'
import { incarnationIn } from './tools/incarnation-rows.ts'
import { refuseMoved } from './tools/move-note-rows.ts'

/** Throws `database-…` if the database cannot be used. */
export function openSqliteStore(options: StoreOptions): RelayStore {
  const { directory, limits, clock, log } = options
  const db = openSteadily(directory, { bytesMax: limits.databaseBytesMax, clock, log })
  try {
    refuseMoved(statementsOf(db), directory)
    return new SqliteStore(db, options)
  } catch (error) {
    db.close()
    throw error
  }
}

class SqliteStore implements RelayStore {
  readonly kind = 'sqlite'
  readonly incarnation: Uint8Array
  readonly blobParts: BlobPartStore
  readonly push: PushStore
  readonly #db: SteadyDatabase
  readonly #options: StoreOptions
  readonly #parts: SqliteParts
  readonly #writes: GroupCommit
  #acknowledgeSoon: Timer | undefined

  constructor(db: SteadyDatabase, options: StoreOptions) {
    this.#db = db
    this.#options = options
    this.#parts = sqlitePartsOf(statementsOf(db), options)
    this.incarnation = incarnationIn(statementsOf(db)) ?? new Uint8Array(INCARNATION_BYTES)
    this.#writes = new GroupCommit(db, {
      writesMax: options.limits.writesPerTransactionMax,
      hooks: commitHooks(this.#parts, options),
      observe: options.observe,
    })
    this.blobParts = blobPartStore(this.#parts.blobParts, this.#writes)
    const { push: rows, due, log } = this.#parts
    this.push = sqlitePushStore({ rows, due, attention: log.attention, writes: this.#writes })
  }

  registerAccount(account: AccountId, given: NewAccount): Promise<'created' | 'exists'> {
    return this.#writes.run(() => this.#parts.log.accounts.register(account, given))
  }

  async getAccount(account: AccountId): Promise<StoredAccount | undefined> {
    const { accounts, mailboxes } = this.#parts.log
    // A client detects an old database by its own cursor, so that is written first. A full disk must not block a login.
    if (mailboxes.hasUnwrittenOf(account)) await this.#writes.run(() => undefined).catch(() => undefined)
    return accounts.get(account)
  }

  raiseSerial(account: AccountId, seen: number): Promise<number> {
    return this.#writes.run(() => this.#parts.log.accounts.raiseSerial(account, seen))
  }

  putProfile(account: AccountId, profile: { version: number; blob: Uint8Array; nowMs: number }) {
    return this.#writes.run(() => this.#parts.profiles.put(account, profile))
  }

  async getProfile(account: AccountId): Promise<StoredProfile | undefined> {
    return this.#parts.profiles.get(account)
  }

  publishKeyPackages(account: AccountId, published: PublishedKeyPackages): Promise<number> {
    return this.#writes.run(() => this.#parts.keyPackages.publish(account, published))
  }

  handOutKeyPackage(account: AccountId, nowMs: number): Promise<HandedOutKeyPackage | undefined> {
    return this.#writes.run(() => this.#parts.keyPackages.handOut(account, nowMs))
  }

  async hasKeyPackage(account: AccountId): Promise<boolean> {
    return this.#parts.keyPackages.has(account)
  }

  async newPeopleLeft(account: AccountId, nowMs: number): Promise<number> {
    const { accounts, contacts } = this.#parts.log
    return contacts.left(accounts.numberOf(account), nowMs)
  }

  readMailbox(account: AccountId, after: number, bounds: PageBounds): Page {
    return this.#parts.log.mailboxes.read(account, after, bounds)
  }

  async mailboxHead(account: AccountId): Promise<number> {
    await this.#writes.caughtUp()
    return this.#parts.log.mailboxes.head(account)
  }

  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void> {
    try {
      const done = this.#parts.log.mailboxes.acknowledge(account, reached)
      this.#acknowledgeWithin(this.#options.limits.acknowledgeWithinMs)
      return done
    } catch (cause) {
      // The account could not be read. A throw here would end the process.
      return Promise.reject(storageError(cause))
    }
  }

  /** It needs no fsync of its own: one lost in a crash only causes redelivery. A failed write is retried. */
  #acknowledgeWithin(afterMs: number): void {
    const { clock, limits } = this.#options
    this.#acknowledgeSoon ??= clock.setTimer(afterMs, () => {
      this.#acknowledgeSoon = undefined
      if (!this.#parts.log.mailboxes.hasUnwritten) return
      this.#writes.run(() => undefined).catch(() => this.#acknowledgeWithin(limits.acknowledgeRetryMs))
    })
  }

  deleteAccount(account: AccountId, nowMs: number): Promise<void> {
    return this.#writes.run(() => this.#parts.deleted.bury(account, nowMs))
  }

  purgeDeleted(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return this.#writes.run(() => this.#parts.deleted.purge(nowMs))
  }

  setBanned(account: AccountId, bannedMs: number | undefined): Promise<void> {
    return this.#writes.run(() => this.#parts.log.accounts.setBanned(account, bannedMs))
  }

  async bannedAccounts(): Promise<AccountId[]> {
    return this.#parts.log.accounts.banned()
  }

  noteSeen(account: AccountId, nowMs: number): Promise<void> {
    return this.#writes.run(() => this.#parts.log.accounts.noteSeen(account, nowMs))
  }

  async listAccounts(asked: AccountsAsked): Promise<AccountFacts[]> {
    return this.#parts.log.accounts.list(asked)
  }

  async getAccountFacts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined> {
    return this.#parts.log.accounts.facts(account, nowMs)
  }

  async inviteUses(hash: Uint8Array): Promise<number> {
    return this.#parts.invites.uses(hash)
  }

  async figures(): Promise<StoreCounts> {
    const { accounts, groups, entries } = this.#parts.log
    const [oldest] = entries.oldest(1)
    const rows = { ...accounts.counts(), groups: groups.count(), ...this.#parts.blobs.stored() }
    return { ...rows, ...databaseBytes(this.#db), oldestEntryMs: oldest?.ts }
  }

  createGroup(group: GroupId, by: NewStoredGroup): Promise<'created' | 'exists'> {
    return this.#writes.run(() => createGroup(this.#parts.log, group, by))
  }

  async getGroup(id: GroupId, by: AccountId): Promise<{ epoch: number; members: AccountId[] }> {
    const group = this.#parts.log.groups.ofMember(id, by)
    return { epoch: group.epoch, members: [...group.members.values()] }
  }

  append(append: Append): Promise<RelayVerdict> {
    return this.#writes.run(() => appendEntry(this.#parts.log, append))
  }

  commit(commit: CommitEnvelope): Promise<RelayVerdict> {
    return this.#writes.run(() => commitEntry(this.#parts.log, commit, this.#options.limits))
  }

  /** There is no other relay. */
  async tellEphemeral(): Promise<void> {}

  async outcome(message: MessageId, of: { group: GroupId; by: AccountId }): Promise<RelayVerdict> {
    const { accounts, groups } = this.#parts.log
    // A message that waits for its transaction must not be reported as absent.
    await this.#writes.caughtUp()
    const group = groups.find(of.group)
    if (!group) throw new CodedError('group-unknown')
    const known = knownVerdict(this.#parts.log, group, { message, by: accounts.numberOf(of.by) })
    return known ?? { accepted: undefined, epoch: groups.ofMember(of.group, of.by).epoch }
  }

  beginBlob(blob: BlobId, given: Parameters<RelayStore['beginBlob']>[1]): Promise<void> {
    return this.#writes.run(() => this.#parts.blobs.begin(blob, given))
  }

  async getBlob(blob: BlobId): Promise<StoredBlob | undefined> {
    return this.#parts.blobs.get(blob)
  }

  claimFetch(blob: BlobId, claim: FetchClaim): Promise<'yours' | 'refused'> {
    return this.#writes.run(() => this.#parts.blobs.claimFetch(blob, claim))
  }

  finishBlob(blob: BlobId, done: { size: number; nowMs: number }): Promise<void> {
    return this.#writes.run(() => this.#parts.blobs.finish(blob, done))
  }

  async expiredBlobs(nowMs: number, countMax: number): Promise<BlobId[]> {
    return this.#parts.blobs.expired({ nowMs, agesMs: this.#parts.retention.agesAt(nowMs) }, countMax)
  }

  async unfinishedBlobs(): Promise<BlobId[]> {
    return this.#parts.blobs.unfinished()
  }

  forgetBlob(blob: BlobId, length: number): Promise<void> {
    return this.#writes.run(() => this.#parts.blobs.forget(blob, length))
  }

  async claimDevice(): Promise<undefined> {}

  async standingOf(): Promise<[]> {
    return []
  }

  asSweeper<T>(run: () => Promise<T>): Promise<T> {
    return run()
  }

  sweep(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return this.#writes.run(() => this.#parts.sweep.turn(this.#parts.retention.agesAt(nowMs)))
  }

  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void> {
    return this.#writes.run(() => this.#parts.retention.noteClockSet(set))
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

  /** The file is always reachable. */
  awaySinceMs(): undefined {
    return undefined
  }

  async close(): Promise<void> {
    try {
      // Callers of failed writes receive the error. Only acknowledgements are left here, and clients send those again.
      await this.flush().catch(() => undefined)
      this.#acknowledgeSoon?.cancel()
    } finally {
      this.#db.close()
    }
  }
}
