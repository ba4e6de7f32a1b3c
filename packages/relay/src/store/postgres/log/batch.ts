// Types of a batch of writes to the log.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { PushSignals } from '../../push-signals.ts'
import type { Append, CommitEnvelope, NewStoredGroup } from '../../relay-store.ts'
import type { KnownMessage } from '../../rules/group-state.ts'
import type { AccountNumbers, NumberedAccount } from '../accounts/account-numbers.ts'
import type { DayReserves } from '../accounts/day-reserves.ts'
import type { Hints } from '../connection/hints.ts'
import type { Queries } from '../connection/queries.ts'
import type { LockedGroup, Rosters } from '../groups/locked-groups.ts'
import type { Acknowledgements } from '../mailboxes/acknowledgements.ts'
import type { EntryCache } from '../mailboxes/entry-cache.ts'
import type { FanOut } from '../mailboxes/fan-out.ts'
import type { PgMailboxFill } from '../mailboxes/mailbox-fill.ts'
import type { BatchRows } from './batch-rows.ts'

export type GroupToMake = NewStoredGroup & { group: GroupId }
export type LogWrite =
  | { kind: 'append'; append: Append }
  | { kind: 'commit'; commit: CommitEnvelope }
  | { kind: 'create'; create: GroupToMake }
export type LogAnswer = RelayVerdict | 'created' | 'exists'
export type JudgedWrite = { kind: 'judged'; answer: LogAnswer } | { kind: 'failed'; error: unknown }

export type BatchParts = {
  numbers: AccountNumbers
  entries: EntryCache
  fanOut: FanOut
  acknowledgements: Acknowledgements
  rosters: Rosters
  fill: PgMailboxFill
  hints: Hints
  pushSignals: PushSignals | undefined
  reserves: DayReserves
  limits: RelayLimits
}

export type DayStored = { account: number; day: number; bytes: number }
/** The state by which the writes of a batch are judged, and the rows that they produce. */
export type Batch = {
  readonly tx: Queries
  readonly accounts: ReadonlyMap<AccountId, NumberedAccount>
  readonly devices: ReadonlyMap<string, number>
  readonly groups: Map<GroupId, LockedGroup>
  readonly known: Map<MessageId, KnownMessage>
  readonly stored: Map<number, DayStored>
  /** Bytes of accounts that were reserved before, and that this batch uses. */
  readonly spent: Map<number, number>
  readonly rows: BatchRows
  /** Rows in the outbox, from all relays. */
  readonly waiting: number
  /** References that these rows will produce, as far as this relay knows. */
  readonly backlog: number
}
