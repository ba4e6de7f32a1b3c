// The parts of a client that the others share.
// They are passed along, so nothing is global and a test can replace any of them.
import type { MlsContext, MlsProvider } from '@postern/mls'
import type { AccountId, ChatId, Clock, GroupId, KeyedQueue, Log, MessageId } from '@postern/protocol'
import type { Files } from './files/files.ts'
import type { GroupSessions } from './groups/group-sessions.ts'
import type { LogOrder } from './groups/log-order.ts'
import type { SendSlots } from './groups/send-slots.ts'
import type { OwnAccount } from './identity/account.ts'
import type { OwnDevice } from './identity/own-device.ts'
import type { RelayLink } from './relay-link/relay-link.ts'
import type { ElapsedClock } from './storage/state/elapsed-clock.ts'
import type { Store } from './storage/transactions/store.ts'
import type { Typists } from './typing/typists.ts'

/**
 * `all`: everyone is accepted. `contacts`: only people who came by the invite link.
 * `ask`: nobody without the owner's consent.
 */
export type RequestPolicy = 'all' | 'contacts' | 'ask'

export type Core = {
  readonly store: Store
  readonly provider: MlsProvider
  readonly mls: MlsContext
  readonly clock: Clock
  /** The time by which data ages and work becomes due. */
  readonly elapsed: ElapsedClock
  readonly log: Log
  /** A random number from 0 to 1. */
  readonly jitter: () => number
  readonly own: OwnAccount
  /** The address that the client dials. It differs from that of `own` when the operator names another relay. */
  readonly relayUrl: string
  readonly device: OwnDevice
  readonly link: RelayLink
  readonly groups: GroupSessions
  readonly typists: Typists
  /** Assigns each entry of a log its time. */
  readonly order: LogOrder
  readonly files: Files
  /** The list of chats as text. Absent when no caller needs all of it. */
  readonly chatTexts?: { all: () => Uint8Array }
  /** Opens a chat only once, however many callers want to write to it first. */
  readonly openings: KeyedQueue<ChatId>
  /** Each encrypted message holds a slot until the relay's answer is known. */
  readonly sendSlots: SendSlots
  /** Messages and commits whose answer a caller awaits: the caller settles them. */
  readonly sending: Set<MessageId>
  /** Messages whose answer was given up: the client asks the relay about them before it reads anything more. */
  readonly doubts: Set<MessageId>
  /**
   * Groups in which others use keys that are past here, and the last speaker:
   * the relay may be behind. Lost on a restart.
   */
  readonly relayDoubts: Map<GroupId, { speaker: AccountId; ts: number }>
  /**
   * When this client last opened a group for a speaker whose groups it could not read, by the relay's clock. The time is
   * lost at a restart, which no other account can cause.
   */
  readonly openedFor: Map<AccountId, number>
  readonly acceptRequests: RequestPolicy
  /** Whether the journal also contains events that are for people only: receipts and calls. */
  readonly reportsAll: boolean
  /** Receipts are due, or messages will expire: the timekeeper computes when. */
  readonly rescheduleTimers: () => void
  /** Messages have arrived, and their authors are notified soon: once for all that arrive meanwhile. */
  readonly arrived: () => void
  /** A call to a bot: a chore sends that it is declined. */
  readonly decline: (call: { chat: ChatId; call: string }) => void
  /** Wakes the chores: there is work that no caller awaits. */
  readonly wakeChores: () => void
}
