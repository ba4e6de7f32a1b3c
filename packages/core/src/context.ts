// What the parts of a client share: passed along, so that nothing is global and everything can be replaced in a test.
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

/** `all`: everybody gets in. `contacts`: only who came by the invite link. `ask`: nobody without a word of the owner. */
export type RequestPolicy = 'all' | 'contacts' | 'ask'

export type Core = {
  readonly store: Store
  readonly provider: MlsProvider
  readonly mls: MlsContext
  readonly clock: Clock
  /** The time by which things grow old and become due. */
  readonly elapsed: ElapsedClock
  readonly log: Log
  /** From 0 to 1, at random. */
  readonly jitter: () => number
  readonly own: OwnAccount
  /** The address that is dialled: another than that of `own` where the relay is said to have moved. */
  readonly relayUrl: string
  readonly device: OwnDevice
  readonly link: RelayLink
  readonly groups: GroupSessions
  /** Gives each entry of a log its time. */
  readonly order: LogOrder
  readonly files: Files
  /** The list of chats as text. Absent where nobody asks for all of it. */
  readonly chatTexts?: { all: () => Uint8Array }
  /** A chat is opened once, however many want to write to it first. */
  readonly openings: KeyedQueue<ChatId>
  /** Each encrypted message holds a slot until the relay's word about it is known. */
  readonly sendSlots: SendSlots
  /** Messages and commits for whose answer somebody waits: they settle themselves. */
  readonly sending: Set<MessageId>
  /** Messages whose answer was given up: what became of them is asked before anything more is read. */
  readonly doubts: Set<MessageId>
  /** Groups in which others use keys that are past here, and who last did: the relay may be behind. Not kept over a restart. */
  readonly relayDoubts: Map<GroupId, { speaker: AccountId; ts: number }>
  readonly acceptRequests: RequestPolicy
  /** Whether the journal also tells what is for people only: receipts and calls. */
  readonly reportsAll: boolean
  /** Receipts are due, or messages will expire: the timekeeper looks when. */
  readonly rescheduleTimers: () => void
  /** Messages have arrived, and their authors are to learn it: soon, and not anew for each while more come. */
  readonly arrived: () => void
  /** A call to a bot: the chores say that it is declined. */
  readonly decline: (call: { chat: ChatId; call: string }) => void
  /** Wakes the chores: something is to be done that no caller waits for. */
  readonly wakeChores: () => void
}
