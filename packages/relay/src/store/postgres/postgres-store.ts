// The relay's store on PostgreSQL: any number of relays on one database.
// Writes go to the log first, and mailboxes are filled from it.
import { type AccountId, type BlobId, CodedError, type GroupId, type Log } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { DeviceClaim, DeviceStanding, Fence } from '../fence.ts'
import type { InviteStore } from '../invite-store.ts'
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

/** `address`: postgres://user:password@host/database. Throws `database-…` if the database cannot be used. */
export async function openPostgresStore(address: string, options: StoreOptions): Promise<RelayStore> {
  const incarnation = await prepareDatabase(address, options.log)
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

/** Connects like a command: no relay has a connection here before its tables are up to date. */
async function prepareDatabase(address: string, log: Log | undefined): Promise<Uint8Array> {
  const place = placeOf(address)
  const database = await openPostgres(address)
  try {
    await assertOwnSessions(database)
    await migrate(database, place, log)
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
  readonly push: PushStore
  readonly #parts: PostgresParts

  constructor(parts: PostgresParts, incarnation: Uint8Array) {
    this.#parts = parts
    this.invites = parts.invites
    this.blobParts = parts.blobParts
    this.push = parts.push
    this.incarnation = incarnation
  }

  start(): void {
    this.#parts.listener.start()
    this.#parts.fanOut.start()
  }

  registerAccount(account: AccountId, given: NewAccount, signal?: AbortSignal): Promise<'created' | 'exists'> {
    return this.#parts.accounts.register(account, given, signal)
  }

  async getAccount(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined> {
    // A client detects an old copy of the database by its own acknowledged cursor, so pending ones are written first.
    await this.#parts.acknowledgements.writtenOf(account)
    return await this.#parts.accounts.get(account, signal)
  }

  raiseSerial(account: AccountId, seen: number, signal?: AbortSignal): Promise<number> {
    return this.#parts.accounts.raiseSerial(account, seen, signal)
  }

  putProfile(...asked: Parameters<RelayStore['putProfile']>): ReturnType<RelayStore['putProfile']> {
    return this.#parts.profiles.put(...asked)
  }

  getProfile(account: AccountId, signal?: AbortSignal): Promise<StoredProfile | undefined> {
    return this.#parts.profiles.get(account, signal)
  }

  publishKeyPackages(...asked: Parameters<RelayStore['publishKeyPackages']>): Promise<number> {
    return this.#parts.keyPackages.publish(...asked)
  }

  handOutKeyPackage(...asked: Parameters<RelayStore['handOutKeyPackage']>): Promise<HandedOutKeyPackage | undefined> {
    return this.#parts.keyPackages.handOut(...asked)
  }

  hasKeyPackage(account: AccountId, signal?: AbortSignal): Promise<boolean> {
    return this.#parts.keyPackages.has(account, signal)
  }

  newPeopleLeft(...asked: Parameters<RelayStore['newPeopleLeft']>): Promise<number> {
    return this.#parts.accounts.newPeopleLeft(...asked)
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
    // On another connection than the log's, the deletion could overtake messages that the account has just sent.
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

  getGroup(...asked: Parameters<RelayStore['getGroup']>): ReturnType<RelayStore['getGroup']> {
    return this.#parts.groups.get(...asked)
  }

  append(append: Append): Promise<RelayVerdict> {
    return this.#parts.lane.append(append)
  }

  commit(commit: CommitEnvelope): Promise<RelayVerdict> {
    return this.#parts.lane.commit(commit)
  }

  async tellEphemeral(sent: Parameters<RelayStore['tellEphemeral']>[0]): Promise<void> {
    await this.#parts.hints.tell(this.#parts.database, { kind: 'ephemeral', ...sent })
  }

  async outcome(...asked: Parameters<RelayStore['outcome']>): Promise<RelayVerdict> {
    // A message that waits for its transaction must not be reported as absent.
    await this.#parts.lane.caughtUp()
    return await this.#parts.groups.outcome(...asked)
  }

  claimDevice(claim: DeviceClaim, signal?: AbortSignal): Promise<Fence> {
    return this.#parts.devices.claim(claim, signal)
  }

  standingOf(devices: readonly string[]): Promise<DeviceStanding[]> {
    return this.#parts.devices.standingOf(devices)
  }

  beginBlob(...asked: Parameters<RelayStore['beginBlob']>): Promise<void> {
    return this.#parts.blobs.begin(...asked)
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
