// The relay's data, and the interface of its stores. SPEC.md has the rules that they guarantee.
import type { AccountId, BlobId, Clock, CodedError, GroupId, Log, MessageId } from '@postern/protocol'
import type { EphemeralFrame, MailboxEntry, RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { DeviceClaim, DeviceStanding, Fence } from './fence.ts'
import type { InviteStore, StoredInvite } from './invite-store.ts'
import type { PeerEvents } from './peer-events.ts'
import type { PushSignals } from './push-signals.ts'
import type { AttentionMark, PushStore } from './push-store.ts'
import type { Wake } from './wake.ts'

export type StoredAccount = {
  accountKey: Uint8Array
  /** The highest cursor that the account has acknowledged, and the mark that came with it. */
  cursor: number
  mark: number
  keyPackages: number
  /** The highest serial seen in its device certificates. */
  serial: number
  /** The day of the last login, counted from 1970. */
  seenDay: number
}

/** An account as its operator sees it. */
export type AccountFacts = {
  account: AccountId
  createdMs: number
  seenDay: number
  groups: number
  /** Stored today, without blobs; the last few bytes may not be counted yet. */
  bytesToday: number
  /** Bytes of complete blobs. */
  blobBytes: number
  bannedMs: number | undefined
}

/** The newest first; `after` names the last account of the previous page. */
export type AccountsAsked = { countMax: number; nowMs: number; after?: AccountId | undefined; which: 'all' | 'banned' }

export type StoreCounts = {
  accounts: number
  banned: number
  groups: number
  blobs: number
  /** Bytes of complete blobs. */
  blobBytes: number
  /** Undefined if the log is empty. */
  oldestEntryMs: number | undefined
  /** The size of the whole file, and the part in use. */
  databaseBytes: number
  databaseUsedBytes: number
}

export type StoredProfile = { accountKey: Uint8Array; version: number; blob: Uint8Array }

export type NewAccount = { accountKey: Uint8Array; nowMs: number; invite?: StoredInvite | undefined }

export type PublishedKeyPackages = {
  oneTime: readonly Uint8Array[]
  lastResort: Uint8Array | undefined
  replace: boolean
  nowMs: number
}

export type HandedOutKeyPackage = { keyPackage: Uint8Array; lastResort: boolean }

export type PageBounds = { entriesMax: number; bytesMax: number }
/**
 * An entry that a store returns to several readers. `frame`: the page with this entry alone, as encoded for its first
 * reader; the payload is then a view of it, so that it is in memory once.
 */
export type StoredEntry = MailboxEntry & { frame?: Uint8Array }
/** `more`: the bounds ended the page, not the mailbox. */
export type Page = { entries: StoredEntry[]; more: boolean }

/** The receivers of an appended envelope. */
export type EnvelopeDelivery = { kind: 'message' } | { kind: 'direct'; to: AccountId } | { kind: 'leave' }

/** A sender's envelope for a group's log. `message` is its id, computed from the payload. */
type Envelope = {
  group: GroupId
  epoch: number
  sender: AccountId
  message: MessageId
  payload: Uint8Array
  nowMs: number
  /** The sending connection's fence. Once the device has a newer one, writes fail with `unauthenticated`. */
  fence?: Fence | undefined
}

export type Append = Envelope & { delivery: EnvelopeDelivery; attention?: AttentionMark | undefined }

export type CommitEnvelope = Envelope & {
  add: readonly AccountId[]
  remove: readonly AccountId[]
  /** Present exactly when someone is added. */
  welcome: Uint8Array | undefined
  /** The welcome to a new chat is for attention. */
  isForAttention?: boolean
}

/** `continues`: a group that the creator is in, or was in lately; otherwise refused with `group-unknown`. */
export type NewStoredGroup = { creator: AccountId; nowMs: number; continues?: GroupId | undefined }

export type BlobLimits = { lifetimeMs?: number | undefined; fetches?: number | undefined }

export type StoredBlob = {
  owner: AccountId
  /** During the upload the maximum length, afterwards the length. */
  size: number
  tokenHash: Uint8Array
  state: 'uploading' | 'complete'
  /** When the blob expires, if its owner has set that: counted from its completion. */
  expiresMs?: number
  /** The maximum number of fetchers, if its owner has set that. */
  fetches?: number
}

/** `fetcher`: the hash of its token. `look`: claims nothing. */
export type FetchClaim = { fetcher: Uint8Array; how: 'claim' | 'look' }

/** `part`: of the multipart upload. `piece`: a separate object, until there is enough for a part. `tag` names it. */
export type BlobPart = { number: number; kind: 'part' | 'piece'; size: number; tag: string }
export type PartSeen = Pick<BlobPart, 'number' | 'tag'>
export type ClaimedPart = { upload: string; number: number }
/** In the order that makes up the blob. */
export type BlobPartsKept = { upload: string | undefined; parts: BlobPart[] }
/** Replaces all parts from number `from` on. `after`: the last part that its writer has seen. */
export type AddedPart = { part: BlobPart; from: number; after: PartSeen | undefined }

/** The parts of an unfinished blob; empty once the blob is finished or forgotten. */
export interface BlobPartStore {
  of(blob: BlobId): Promise<BlobPartsKept>
  /**
   * Reserves a unique number for the next part: a late relay must not overwrite another's part. Also returns the upload
   * that counts, which is the first one named; undefined if the blob is not being uploaded.
   */
  claim(blob: BlobId, upload: string): Promise<ClaimedPart | undefined>
  /** Returns `overtaken`, and changes nothing, if another part is now the last one or the upload is over. */
  add(blob: BlobId, added: AddedPart): Promise<'added' | 'overtaken'>
}

/** Options for opening a store. `wake` is notified whose mailbox has grown, after that is durable. */
export type StoreOptions = {
  directory: string
  limits: RelayLimits
  wake: Wake
  /** Receives events from other relays on the same data. */
  peerEvents?: PeerEvents
  pushSignals?: PushSignals
  clock: Clock
  /** The clocks by which removed data must have expired, as the database's may differ. Default: the relay's own. */
  ages?: 'by-own-clock' | 'by-both-clocks'
  /** For work in the background. */
  log?: Log
  /** Counts bytes, and decides whether new data is accepted. */
  disk?: { fitsMessages(): boolean; spend(bytes: number): void }
  /** Called when a transaction begins. The returned function receives its number of writes when it is on disk. */
  observe?: () => (writes: number) => void
  /** Called once when the store's data is no longer the data that it was opened on: the relay must then stop. */
  onReplaced?: (error: CodedError) => void
}

/** Where a store keeps its rows: in a file of the data directory, or on a server that relays share. */
export type StoreKind = 'sqlite' | 'postgresql'

export interface RelayStore {
  readonly kind: StoreKind
  /** Identifies the relay's incarnation: the same across restarts, and a new one after a restore from a backup. */
  readonly incarnation: Uint8Array
  /** The store's own place for invites; without it they are files in the data directory. */
  readonly invites?: InviteStore
  readonly push: PushStore

  // Accounts.
  /**
   * With an invite, one use of it and the account are created together: throws `invite-used` if none is left.
   *
   * `signal`, here and below: the caller has disconnected. Queued work is then dropped, and its promise rejects.
   */
  registerAccount(account: AccountId, given: NewAccount, signal?: AbortSignal): Promise<'created' | 'exists'>
  getAccount(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined>
  /** Returns the highest serial seen, including this one. */
  raiseSerial(account: AccountId, seen: number, signal?: AbortSignal): Promise<number>
  putProfile(
    account: AccountId,
    profile: { version: number; blob: Uint8Array; nowMs: number },
    signal?: AbortSignal,
  ): Promise<{
    accepted: boolean
    version: number
  }>
  getProfile(account: AccountId, signal?: AbortSignal): Promise<StoredProfile | undefined>
  /** Returns how many one-time key packages there are now. */
  publishKeyPackages(account: AccountId, published: PublishedKeyPackages, signal?: AbortSignal): Promise<number>
  handOutKeyPackage(account: AccountId, nowMs: number, signal?: AbortSignal): Promise<HandedOutKeyPackage | undefined>
  hasKeyPackage(account: AccountId, signal?: AbortSignal): Promise<boolean>
  /** How many people whom the account does not know it may still add on this day. Throws `account-not-found`. */
  newPeopleLeft(account: AccountId, nowMs: number, signal?: AbortSignal): Promise<number>
  /** Returns a page synchronously if the store can: a follower is then served in the turn in which it is woken. */
  readMailbox(account: AccountId, after: number, bounds: PageBounds): Page | Promise<Page>
  /**
   * Counts everything sent before the call. `placed`: does not wait for entries on their way to the mailbox. Rejects if
   * the signal is aborted before the database is queried.
   */
  mailboxHead(account: AccountId, asked?: { counted?: 'placed'; signal?: AbortSignal }): Promise<number>
  /** Returns the same promise for all that wait for one write: on a full disk there may be millions. */
  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void>

  /**
   * Deletes the account for its owner: from then on nobody finds it, nothing more from it is accepted, and it cannot be
   * registered again. `purgeDeleted` removes its rows. Throws `account-not-found`.
   */
  deleteAccount(account: AccountId, nowMs: number): Promise<void>
  /** One bounded turn of removing the rows of deleted accounts. */
  purgeDeleted(nowMs: number): Promise<{ removed: number; more: boolean }>

  // For the operator.
  /** The time of the ban; undefined lifts it. Throws `account-not-found`. */
  setBanned(account: AccountId, bannedMs: number | undefined): Promise<void>
  bannedAccounts(): Promise<AccountId[]>
  /** Notes that the account has logged in today. */
  noteSeen(account: AccountId, nowMs: number): Promise<void>
  listAccounts(asked: AccountsAsked): Promise<AccountFacts[]>
  getAccountFacts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined>
  /** How often the invite with this hash was used. */
  inviteUses(hash: Uint8Array): Promise<number>
  /** Counts rows, so call it rarely. */
  figures(): Promise<StoreCounts>

  // Groups.
  createGroup(group: GroupId, by: NewStoredGroup): Promise<'created' | 'exists'>
  getGroup(group: GroupId, by: AccountId, signal?: AbortSignal): Promise<{ epoch: number; members: AccountId[] }>
  append(append: Append): Promise<RelayVerdict>
  commit(commit: CommitEnvelope): Promise<RelayVerdict>
  outcome(message: MessageId, of: { group: GroupId; by: AccountId }, signal?: AbortSignal): Promise<RelayVerdict>
  /** Tells the other relays on the same data, and stores nothing. */
  tellEphemeral(sent: EphemeralFrame & { group: GroupId }): Promise<void>

  /**
   * Registers a newer connection of a device. When this resolves, all writes of older ones are settled, and later ones
   * are refused. Throws `bad-certificate` and `account-banned` for an earlier raised serial or ban at any relay; a
   * later one voids the fence. Returns undefined from a store for one relay, which knows all its connections.
   */
  claimDevice(claim: DeviceClaim, signal?: AbortSignal): Promise<Fence | undefined>
  /** The state of devices claimed at any relay; empty from a store that only one relay uses. */
  standingOf(devices: readonly string[]): Promise<DeviceStanding[]>

  // Metadata of blobs; their bytes are in a BlobStore.
  beginBlob(
    blob: BlobId,
    given: { owner: AccountId; size: number; tokenHash: Uint8Array; nowMs: number } & BlobLimits,
    signal?: AbortSignal,
  ): Promise<void>
  getBlob(blob: BlobId): Promise<StoredBlob | undefined>
  /** For a complete blob with `fetches`: that number of first fetchers may fetch it, each as often as it asks. */
  claimFetch(blob: BlobId, claim: FetchClaim): Promise<'yours' | 'refused'>
  /** Sets the final length `size`; the rest of the announced bytes is returned to the day's budget. */
  finishBlob(blob: BlobId, done: { size: number; nowMs: number }): Promise<void>
  /** Blobs with a lifetime expire by this clock, the others by the corrected one that measures ages. */
  expiredBlobs(nowMs: number, countMax: number): Promise<BlobId[]>
  unfinishedBlobs(): Promise<BlobId[]>
  /** `length`: received bytes of an unfinished blob. The rest of its announced bytes returns to the day's budget. */
  forgetBlob(blob: BlobId, length: number): Promise<void>
  /** Where the bytes of unfinished blobs are, for a BlobStore that several relays write to. */
  readonly blobParts: BlobPartStore

  /** The clock was changed by this amount while the relay ran, forward or back, without time passing. */
  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void>
  /** Runs the function unless another relay on the same data does so: then returns undefined. */
  asSweeper<T>(run: () => Promise<T>): Promise<T | undefined>
  /** One bounded turn of removing expired data; `more`: another turn has work. */
  sweep(nowMs: number): Promise<{ removed: number; more: boolean }>
  /** Resolves when all earlier writes are durable or refused. */
  flush(): Promise<void>
  /**
   * Moves all earlier writes into the database's own file, which then does not change until the returned function is
   * called: for a copy of it. A store without such a file is backed up by other means, and refuses.
   */
  hold(): Promise<() => void>
  /** Since when the rows are unreachable, on the monotonic clock. Undefined while they are reachable. */
  awaySinceMs(): number | undefined
  close(): Promise<void>
}
