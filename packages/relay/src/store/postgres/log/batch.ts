// What the writes of one batch are judged by.
import type { AccountId, GroupId, MessageId } from '@postern/protocol'
import type { RelayVerdict } from '@postern/protocol/relay'
import type { RelayLimits } from '../../../limits/relay-limits.ts'
import type { Append, CommitEnvelope, NewStoredGroup } from '../../relay-store.ts'
import type { KnownMessage } from '../../rules/group-state.ts'
import type { AccountNumbers, NumberedAccount } from '../accounts/account-numbers.ts'
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
  limits: RelayLimits
}

export type DayStored = { account: number; day: number; bytes: number }
/** What the writes of a batch are judged by, and what comes of them. */
export type Batch = {
  readonly tx: Queries
  readonly accounts: ReadonlyMap<AccountId, NumberedAccount>
  readonly devices: ReadonlyMap<string, number>
  readonly groups: Map<GroupId, LockedGroup>
  readonly known: Map<MessageId, KnownMessage>
  readonly stored: Map<number, DayStored>
  readonly rows: BatchRows
  /** Rows of the outbox, of all relays. */
  readonly waiting: number
  /** References that these rows stand for, as far as this relay knows. */
  readonly backlog: number
}
