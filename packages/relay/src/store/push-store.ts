// Data for pushes: the relay's own key, the subscriptions of devices, and the pushed position of each.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { DeviceClaim, Fence } from './fence.ts'

/** The relay's key at push services: a number and a point on P-256, as they are written in VAPID. */
export type PushKeyPair = { privateKey: Uint8Array; publicKey: Uint8Array }

/** A device's subscription at a push service. */
export type PushSubscription = {
  endpoint: string
  p256dh: Uint8Array
  auth: Uint8Array
  /** Pushed only for mentions. */
  muted: readonly GroupId[]
}

/** An entry for somebody's attention. The preview is sealed by its sender. */
export type AttentionMark = { kind: 'message' | 'mention'; preview: Uint8Array | undefined }

/** An entry that waits for a push. `entry` is the store's own name for it, `pos` its place in the mailbox. */
export type DueEntry = {
  pos: number
  entry: number
  isMention: boolean
  sender: AccountId
  /** A welcome has none. */
  message: MessageId | undefined
  ts: number
}

/** A subscription whose device is away, as far as the store knows. */
export type AwayDevice = {
  device: string
  /** The store's own name for the mailbox. */
  account: number
  endpoint: string
  p256dh: Uint8Array
  auth: Uint8Array
  /** The ids of muted groups, one behind the other. */
  muted: Uint8Array
  setMs: number
  /** The account has read up to here. */
  read: number
  /** The position up to which nothing has to be pushed, as stored. */
  pushed: number
}

/** The mailbox of a device behind a position, and its entries for attention there: by group, in order. */
export type DueDevice = AwayDevice & {
  after: number
  /** The last position that was read. */
  through: number
  /** How many entries that were. */
  entriesRead: number
  /** There is more in the mailbox. */
  more: boolean
  groups: ReadonlyMap<GroupId, DueEntry[]>
}

/**
 * Which subscriptions to look at: those of a group's members, some, or all. `after`: the position of the page, which is
 * empty for the first one.
 */
export type PushLook = { after: string } & (
  | { kind: 'group'; group: number }
  | { kind: 'devices'; devices: readonly string[] }
  | { kind: 'all' }
)
/** `next`: the position of the next page. `isEarly`: entries of the group are not in their mailboxes yet. */
export type AwayPage = { away: AwayDevice[]; next: string | undefined; group: GroupId | undefined; isEarly: boolean }
/** Mailboxes to read, each behind a position. */
export type MailboxLook = { nowMs: number; mailboxes: readonly { of: AwayDevice; after: number }[] }

export interface PushStore {
  /** The first one that was ever given, of any relay on the same data. */
  keyPair(candidate: () => PushKeyPair): Promise<PushKeyPair>
  /** Replaces the one that the device has. If the account has too many, removes the oldest. */
  set(device: DeviceClaim, subscription: PushSubscription & { nowMs: number }, signal?: AbortSignal): Promise<void>
  clear(device: string, signal?: AbortSignal): Promise<void>
  /** Removes the subscription unless it was replaced since. */
  drop(device: string, endpoint: string): Promise<void>
  /** Whether this relay is the one that pushes. Loses that with its connection to the database, and looks fail then. */
  lead(): Promise<boolean>
  look(asked: PushLook): Promise<AwayPage>
  /** Reads what waits in mailboxes. A look finds their devices first, because most have nothing to wait for. */
  read(asked: MailboxLook): Promise<DueDevice[]>
  previewOf(entry: number): Promise<Uint8Array | undefined>
  /** Nothing up to these positions has to be pushed any more. */
  notePushed(reached: readonly { device: string; pos: number }[]): Promise<void>
  /** The device has closed the connection with this fence. */
  noteLeft(fence: Fence): Promise<void>
}
