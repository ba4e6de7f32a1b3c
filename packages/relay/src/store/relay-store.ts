// What the relay keeps, and the methods every store of it has. What they guarantee are the rules of SPEC.md.
import type { AccountId, BlobId, Clock, CodedError, GroupId, Log, MessageId } from '@postern/protocol'
import type { MailboxEntry, RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../limits/relay-limits.ts'
import type { DeviceClaim, DeviceStanding, Fence } from './fence.ts'
import type { InviteStore, StoredInvite } from './invite-store.ts'
import type { PeerEvents } from './peer-events.ts'
import type { Wake } from './wake.ts'

export type StoredAccount = {
  accountKey: Uint8Array
  /** The highest cursor that the account has acknowledged, and the mark it gave with it. */
  cursor: number
  mark: number
  keyPackages: number
  /** The highest of its device certificates that was seen. */
  serial: number
  /** On which it last logged in, counted from 1970. */
  seenDay: number
}

/** An account as its operator sees it. */
export type AccountFacts = {
  account: AccountId
  createdMs: number
  seenDay: number
  groups: number
  /** Stored today, without blobs; a little of it may not be counted yet. */
  bytesToday: number
  /** Of complete blobs. */
  blobBytes: number
  bannedMs: number | undefined
}

/** The newest first; `after` one of them, the next page. */
export type AccountsAsked = { countMax: number; nowMs: number; after?: AccountId | undefined; which: 'all' | 'banned' }

export type StoreCounts = {
  accounts: number
  banned: number
  groups: number
  blobs: number
  /** Of complete ones. */
  blobBytes: number
  /** Undefined when the log is empty. */
  oldestEntryMs: number | undefined
  /** All of the file, and what of it is in use. */
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
 * What a store hands out again to the next reader. `frame`: a page of this entry alone, as the first who was sent it got it;
 * the payload is a part of it then, so that it is in memory once.
 */
export type StoredEntry = MailboxEntry & { frame?: Uint8Array }
/** `more` when the bounds ended the page, not the mailbox. */
export type Page = { entries: StoredEntry[]; more: boolean }

/** Who gets an appended envelope. */
export type EnvelopeDelivery = { kind: 'message' } | { kind: 'direct'; to: AccountId } | { kind: 'leave' }

/** What a sender hands in for a group's log. `message` is its id, computed from the payload. */
type Envelope = {
  group: GroupId
  epoch: number
  sender: AccountId
  message: MessageId
  payload: Uint8Array
  nowMs: number
  /** Of the connection that it came by: refused with `unauthenticated` once a newer one of the same device is there. */
  fence?: Fence | undefined
}

export type Append = Envelope & { delivery: EnvelopeDelivery }

export type CommitEnvelope = Envelope & {
  add: readonly AccountId[]
  remove: readonly AccountId[]
  /** Given exactly when someone is added. */
  welcome: Uint8Array | undefined
}

/** `continues`: a group that the creator is in, or was in lately; refused by `group-unknown` when it is neither. */
export type NewStoredGroup = { creator: AccountId; nowMs: number; continues?: GroupId | undefined }

export type BlobLimits = { lifetimeMs?: number | undefined; fetches?: number | undefined }

export type StoredBlob = {
  owner: AccountId
  /** While it is uploaded, how long it may become; then, how long it is. */
  size: number
  tokenHash: Uint8Array
  state: 'uploading' | 'complete'
  /** When it is gone, if its owner has set that: counted from when it was complete. */
  expiresMs?: number
  /** How many fetchers it has at most, if its owner has set that. */
  fetches?: number
}

/** `fetcher`: the hash of its token. `look`: nothing is claimed. */
export type FetchClaim = { fetcher: Uint8Array; how: 'claim' | 'look' }

/** `part`: of the upload that puts them together. `piece`: by itself, until there is enough for a part. `tag` names it. */
export type BlobPart = { number: number; kind: 'part' | 'piece'; size: number; tag: string }
export type PartSeen = Pick<BlobPart, 'number' | 'tag'>
export type ClaimedPart = { upload: string; number: number }
/** In the order in which they make up the blob. */
export type BlobPartsKept = { upload: string | undefined; parts: BlobPart[] }
/** It takes the place of all parts from number `from` on. `after`: the last one that its writer has seen. */
export type AddedPart = { part: BlobPart; from: number; after: PartSeen | undefined }

/** Of an unfinished blob; once it is finished or forgotten there is nothing here. */
export interface BlobPartStore {
  of(blob: BlobId): Promise<BlobPartsKept>
  /**
   * A number for the next part that nobody else gets: a relay that is late must not write over another's. With the upload that
   * counts, which is the first that was named; undefined when the blob is not being uploaded.
   */
  claim(blob: BlobId, upload: string): Promise<ClaimedPart | undefined>
  /** `overtaken` when another part is the last one by now, or the blob is not being uploaded: then nothing has changed. */
  add(blob: BlobId, added: AddedPart): Promise<'added' | 'overtaken'>
}

/** What a store is opened with. `wake` is told whose mailbox has grown, after that is durable. */
export type StoreOptions = {
  directory: string
  limits: RelayLimits
  wake: Wake
  /** Told of what happens at other relays on the same data. */
  peerEvents?: PeerEvents
  clock: Clock
  /** By which clocks something has to be past its time before it goes: the database's may be another one. The relay's own, if nothing is said. */
  ages?: 'by-own-clock' | 'by-both-clocks'
  /** For what goes on behind everybody's back. */
  log?: Log
  /** Told of bytes, and asked before anything new is taken. */
  disk?: { fitsMessages(): boolean; spend(bytes: number): void }
  /** Told of every transaction that is on the disk: asked when it begins, it gives whom to tell how many writes shared it. */
  observe?: () => (writes: number) => void
  /** Called once when the data under the store is no longer the data that it was opened on: the relay has to end. */
  onReplaced?: (error: CodedError) => void
}

/** Where a store has its rows: in a file of the data directory, or at a server that relays share. */
export type StoreKind = 'sqlite' | 'postgresql'

export interface RelayStore {
  readonly kind: StoreKind
  /** Which life of the relay this is: the same over restarts, and another one after a restore from a backup. */
  readonly incarnation: Uint8Array
  /** Where invites are, when it has a place for them; else they are files in the data directory. */
  readonly invites?: InviteStore

  // An account's own.
  /** With an invite, one use of it and the account come to be together: `invite-used` when none is left. */
  registerAccount(account: AccountId, given: NewAccount): Promise<'created' | 'exists'>
  /** `signal`, here and below: the caller has gone. Work that still waits then is dropped, and its promise rejects. */
  getAccount(account: AccountId, signal?: AbortSignal): Promise<StoredAccount | undefined>
  /** Gives the highest that was seen, this one included. */
  raiseSerial(account: AccountId, seen: number): Promise<number>
  putProfile(
    account: AccountId,
    profile: { version: number; blob: Uint8Array; nowMs: number },
  ): Promise<{
    accepted: boolean
    version: number
  }>
  getProfile(account: AccountId): Promise<StoredProfile | undefined>
  /** Gives how many one-time key packages are there now. */
  publishKeyPackages(account: AccountId, published: PublishedKeyPackages): Promise<number>
  handOutKeyPackage(account: AccountId, nowMs: number): Promise<HandedOutKeyPackage | undefined>
  hasKeyPackage(account: AccountId): Promise<boolean>
  /** At once where it is at hand: who follows is then served in the turn in which it is woken. */
  readMailbox(account: AccountId, after: number, bounds: PageBounds): Page | Promise<Page>
  /**
   * Counts all that was sent before it was asked for. `placed`: waits for nothing that is still on its way to the mailbox.
   * Rejects when the signal is aborted before the database was asked.
   */
  mailboxHead(account: AccountId, asked?: { counted?: 'placed'; signal?: AbortSignal }): Promise<number>
  /** The same promise for all that wait for one write: on a full disk they may be millions. */
  acknowledge(account: AccountId, reached: { cursor: number; mark: number }): Promise<void>

  /**
   * Its owner ends it: from then on nobody finds it, nothing more of it is accepted, and nobody registers it again. Its rows
   * go by `purgeDeleted`. Throws `account-not-found`.
   */
  deleteAccount(account: AccountId, nowMs: number): Promise<void>
  /** One bounded turn of removing what deleted accounts have left. */
  purgeDeleted(nowMs: number): Promise<{ removed: number; more: boolean }>

  // Its operator's.
  /** Since when it is shut out; undefined lets it in again. Throws `account-not-found`. */
  setBanned(account: AccountId, bannedMs: number | undefined): Promise<void>
  bannedAccounts(): Promise<AccountId[]>
  /** It has logged in today. */
  noteSeen(account: AccountId, nowMs: number): Promise<void>
  listAccounts(asked: AccountsAsked): Promise<AccountFacts[]>
  getAccountFacts(account: AccountId, nowMs: number): Promise<AccountFacts | undefined>
  /** How often an invite was used, by its hash. */
  inviteUses(hash: Uint8Array): Promise<number>
  /** Counts rows: to be asked for now and then. */
  figures(): Promise<StoreCounts>

  // A group's own.
  createGroup(group: GroupId, by: NewStoredGroup): Promise<'created' | 'exists'>
  getGroup(group: GroupId, by: AccountId): Promise<{ epoch: number; members: AccountId[] }>
  append(append: Append): Promise<RelayVerdict>
  commit(commit: CommitEnvelope): Promise<RelayVerdict>
  outcome(message: MessageId, of: { group: GroupId; by: AccountId }): Promise<RelayVerdict>

  /**
   * A newer connection of a device: what the older ones have sent is settled when this resolves, and what comes of them later
   * is refused. Throws `bad-certificate` and `account-banned` for what was raised or banned before at any relay; what is so
   * later ends the fence. Undefined from a store that only one relay uses, which knows of all its connections by itself.
   */
  claimDevice(claim: DeviceClaim, signal?: AbortSignal): Promise<Fence | undefined>
  /** Of those that were claimed, at whatever relay; none from a store that only one relay uses. */
  standingOf(devices: readonly string[]): Promise<DeviceStanding[]>

  // Blobs: what is known about them; their bytes are in a BlobStore.
  beginBlob(
    blob: BlobId,
    given: { owner: AccountId; size: number; tokenHash: Uint8Array; nowMs: number } & BlobLimits,
  ): Promise<void>
  getBlob(blob: BlobId): Promise<StoredBlob | undefined>
  /** Of a complete blob with a number of `fetches`: the first so many fetchers have it, for as often as each asks. */
  claimFetch(blob: BlobId, claim: FetchClaim): Promise<'yours' | 'refused'>
  /** It is as long as `size` from now on; what was announced beyond that is given back to the day's bytes. */
  finishBlob(blob: BlobId, done: { size: number; nowMs: number }): Promise<void>
  /** Those with a lifetime go by this clock, the others by the one that tells ages. */
  expiredBlobs(nowMs: number, countMax: number): Promise<BlobId[]>
  unfinishedBlobs(): Promise<BlobId[]>
  /** Of an unfinished one `length` bytes had come: the rest of what was announced is given back to the day's bytes. */
  forgetBlob(blob: BlobId, length: number): Promise<void>
  /** Where their bytes are meanwhile, for a BlobStore that several relays write to. */
  readonly blobParts: BlobPartStore

  /** The clock was set by so much while the relay ran, forward or back: no time has passed by that. */
  noteClockSet(set: { byMs: number; nowMs: number }): Promise<void>
  /** Runs it unless another relay on the same data does so: then undefined. */
  asSweeper<T>(run: () => Promise<T>): Promise<T | undefined>
  /** One bounded turn of removing what is past its time; `more` when another turn has work. */
  sweep(nowMs: number): Promise<{ removed: number; more: boolean }>
  /** Everything asked for before is durable or refused. */
  flush(): Promise<void>
  /**
   * Everything asked for before is in the database's own file, which stands still until the returned function is called: for
   * a copy of it. A store that has no such file is backed up by its own means, and refuses.
   */
  hold(): Promise<() => void>
  /** Since when its rows could not be reached, by the clock that only goes forward. Undefined while they can be. */
  awaySinceMs(): number | undefined
  close(): Promise<void>
}
