// The relay's store on PostgreSQL: any number of relays on one database. The log is written first, mailboxes are filled from it.
import { type AccountId, type BlobId, CodedError, type GroupId, type MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { DeviceClaim, DeviceStanding, Fence } from '../fence.ts'
import type { InviteStore } from '../invite-store.ts'
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
import { isForbidden, openPostgres, placeOf, unreachable } from './connection/open-postgres.ts'
import { RelayClaim, sharedIncarnation } from './connection/relay-claim.ts'
import { assertOwnSessions } from './connection/session.ts'
import { Timelines } from './connection/timelines.ts'
import { type PostgresParts, partsOf } from './postgres-parts.ts'
import { migrate } from './schema/migrate.ts'
import { postgresMoveNote, refuseMovedDatabase } from './tools/move-note-rows.ts'
import { readStoreFigures } from './tools/store-counts.ts'

/** `address`: postgres://user:password@host/database. Throws `database-…` when it cannot be used. */
export async function openPostgresStore(address: string, options: StoreOptions): Promise<RelayStore> {
  const incarnation = await prepareDatabase(address)
  const timelines = new Timelines(options.directory, options.log)
  const claim = new RelayClaim({
    incarnation,
    timelines,
    place: placeOf(address),
    movedTo: async queries => (await postgresMoveNote(queries))?.place,
    onReplaced: error => options.onReplaced?.(error),
  })
  const database = await openPostgres(address, claim)
  try {
    const store = new PostgresStore(partsOf(database, options), incarnation)
    store.start()
    return store
  } catch (error) {
    await database.close()
    throw error
  }
}

/** As a command would: no relay has a connection here before its tables are up to date. */
async function prepareDatabase(address: string): Promise<Uint8Array> {
  const place = placeOf(address)
  const database = await openPostgres(address)
  try {
    await assertOwnSessions(database)
    await migrate(database, place)
    await refuseMovedDatabase(database, place)
    return await sharedIncarnation(database)
  } catch (error) {
    throw isForbidden(error) ? unreachable(place, error) : error
  } finally {
    await database.close()
  }
}

class PostgresStore implements RelayStore {
  readonly kind = 'postgresql'
  readonly incarnation: Uint8Array
  readonly invites: InviteStore
  readonly blobParts: BlobPartStore
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts, incarnation: Uint8Array) {
    this.#parts = parts
    this.invites = parts.invites
    this.blobParts = parts.blobParts
    this.incarnation = incarnation
  }

  start(): void {
    this.#parts.listener.start()
    this.#parts.fanOut.start()
  }

  registerAccount(account: AccountId, given: NewAccount): Promise<'created' | 'exists'> {
    return this.#parts.accounts.register(account, given)
  }

  async getAccount(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined> {
    // By what it has acknowledged, a login finds out that a database is an old copy.
    await this.#parts.acknowledgements.writtenOf(account)
    return await this.#parts.accounts.get(account, signal)
  }

  raiseSerial(account: AccountId, seen: number): Promise<number> {
    return this.#parts.accounts.raiseSerial(account, seen)
  }

  putProfile(account: AccountId, profile: { version: number; blob: Uint8Array; nowMs: number }) {
    return this.#parts.profiles.put(account, profile)
  }

  getProfile(account: AccountId): Promise<StoredProfile | undefined> {
    return this.#parts.profiles.get(account)
  }

  publishKeyPackages(account: AccountId, published: PublishedKeyPackages): Promise<number> {
    return this.#parts.keyPackages.publish(account, published)
  }

  handOutKeyPackage(account: AccountId, nowMs: number): Promise<HandedOutKeyPackage | undefined> {
    return this.#parts.keyPackages.handOut(account, nowMs)
  }

  hasKeyPackage(account: AccountId): Promise<boolean> {
    return this.#parts.keyPackages.has(account)
  }

  readMailbox(account: AccountId, after: number, bounds: PageBounds): Promise<Page> {
    return this.#parts.mailboxes.read(account, after, bounds)
  }

  async mailboxHead(account: AccountId, asked: Parameters<RelayStore['mailboxHead']>[1] = {}): Promise<number> {
    const { lane, mailboxes, fanOut } = this.#parts
    if (asked.counted !== 'placed') {
      await lane.caughtUp()
      await mailboxes.filled(account, () => fanOut.nextTurn())
    }
    return await mailboxes.head(account, asked.signal)
  }

  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void> {
    return this.#parts.acknowledgements.add(account, reached)
  }

  async deleteAccount(account: AccountId, nowMs: number): Promise<void> {
    // On another connection than the log's: it would overtake what the account has just sent.
    await this.#parts.lane.caughtUp()
    await this.#parts.deleted.bury(account, nowMs)
  }

  purgeDeleted(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return this.#parts.deleted.purge(nowMs, this.#parts.limits.sweepRowsPerTurn)
  }

  setBanned(account: AccountId, bannedMs: number | undefined): Promise<void> {
    return this.#parts.accounts.setBanned(account, bannedMs)
  }

  bannedAccounts(): Promise<AccountId[]> {
    return this.#parts.accounts.banned()
  }

  noteSeen(account: AccountId, nowMs: number): Promise<void> {
    return this.#parts.accounts.noteSeen(account, nowMs)
  }

  listAccounts(asked: AccountsAsked): Promise<AccountFacts[]> {
    return this.#parts.accounts.list(asked)
  }

  getAccountFacts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined> {
    return this.#parts.accounts.facts(account, nowMs)
  }

  inviteUses(hash: Uint8Array): Promise<number> {
    return this.#parts.invites.uses(hash)
  }

  figures(): Promise<StoreCounts> {
    return readStoreFigures(this.#parts.database)
  }

  createGroup(group: GroupId, by: NewStoredGroup): Promise<'created' | 'exists'> {
    return this.#parts.lane.create({ ...by, group })
  }

  getGroup(group: GroupId, by: AccountId): Promise<{ epoch: number; members: AccountId[] }> {
    return this.#parts.groups.get(group, by)
  }

  append(append: Append): Promise<RelayVerdict> {
    return this.#parts.lane.append(append)
  }

  commit(commit: CommitEnvelope): Promise<RelayVerdict> {
    return this.#parts.lane.commit(commit)
  }

  async outcome(message: MessageId, of: { group: GroupId; by: AccountId }): Promise<RelayVerdict> {
    // A message that waits for its transaction must not be told to be in no log.
    await this.#parts.lane.caughtUp()
    return await this.#parts.groups.outcome(message, of)
  }

  claimDevice(claim: DeviceClaim, signal?: AbortSignal): Promise<Fence> {
    return this.#parts.devices.claim(claim, signal)
  }

  standingOf(devices: readonly string[]): Promise<DeviceStanding[]> {
    return this.#parts.devices.standingOf(devices)
  }

  beginBlob(blob: BlobId, given: Parameters<RelayStore['beginBlob']>[1]): Promise<void> {
    return this.#parts.blobs.begin(blob, given)
  }

  getBlob(blob: BlobId): Promise<StoredBlob | undefined> {
    return this.#parts.blobs.get(blob)
  }

  claimFetch(blob: BlobId, claim: FetchClaim): Promise<'yours' | 'refused'> {
    return this.#parts.blobs.claimFetch(blob, claim)
  }

  finishBlob(blob: BlobId, done: { size: number; nowMs: number }): Promise<void> {
    return this.#parts.blobs.finish(blob, done)
  }

  async expiredBlobs(nowMs: number, countMax: number): Promise<BlobId[]> {
    return await this.#parts.blobs.expired({ nowMs, agesMs: await this.#parts.retention.agesAt(nowMs) }, countMax)
  }

  unfinishedBlobs(): Promise<BlobId[]> {
    return this.#parts.blobs.unfinished()
  }

  forgetBlob(blob: BlobId, length: number): Promise<void> {
    return this.#parts.blobs.forget(blob, length)
  }

  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void> {
    return this.#parts.retention.noteClockSet(set)
  }

  asSweeper<T>(run: () => Promise<T>): Promise<T | undefined> {
    return this.#parts.sweeper.run(run)
  }

  async sweep(nowMs: number): Promise<{ removed: number; more: boolean }> {
    return await this.#parts.sweep.turn(await this.#parts.retention.agesAt(nowMs))
  }

  async flush(): Promise<void> {
    await this.#parts.lane.caughtUp()
    await this.#parts.fanOut.caughtUp()
    await this.#parts.acknowledgements.flush()
  }

  async hold(): Promise<() => void> {
    const message = 'A relay on PostgreSQL is backed up by the means of PostgreSQL: pg_dump, or a base backup.'
    throw new CodedError('backup-refused', {}, { message })
  }

  awaySinceMs(): number | undefined {
    return this.#parts.listener.awaySinceMs
  }

  async close(): Promise<void> {
    const { listener, fanOut, lane, mailboxes, acknowledgements, database } = this.#parts
    try {
      listener.stop()
      mailboxes.stop()
      await lane.stop()
      // Entries that wait for their mailboxes are durable: another relay places them, or this one at its next start.
      await acknowledgements.flush().catch(() => undefined)
      acknowledgements.stop()
      await fanOut.stop()
    } finally {
      await database.close()
    }
  }
}
