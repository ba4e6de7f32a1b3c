// What was sent to relays and what its sender was told of it, and what mailboxes have of it: all that is compared.
import { createHash } from 'node:crypto'
import { type AccountId, type GroupId, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type MailboxEntry, readEnvelopeHeader } from '@postern/protocol/relay'

export type Told =
  /** `line`: the connection it was answered on, `place`: when it was sent there, among all that was. */
  | { kind: 'accepted'; seq: number; ts: number; isDuplicate: boolean; line: number; place: number }
  /** Refused for good, or asked for by the newest connection and not there: it must never turn up. */
  | { kind: 'absent'; why: string }

export type Deed = {
  /** Of what, for the table: `message to 200`. */
  readonly label: string
  readonly kind: 'message' | 'direct' | 'leave' | 'commit'
  readonly message: MessageId
  readonly group: GroupId
  readonly sender: AccountId
  readonly epoch: number
  /** Of a direct message. */
  readonly to: AccountId | undefined
  readonly add: readonly AccountId[]
  readonly remove: readonly AccountId[]
  readonly told: Told[]
}

/** An entry of a mailbox, with what stands in clear in its payload. A welcome says the epoch that it lets into. */
export type Kept = Omit<MailboxEntry, 'payload'> & { message: MessageId; epoch: number }
/** In the order in which it was read. */
export type Mailbox = { account: AccountId; entries: readonly Kept[] }

export function keptOf({ payload, ...entry }: MailboxEntry): Kept {
  const message = messageIdFromHash(createHash('sha256').update(payload).digest())
  return { ...entry, message, epoch: readEnvelopeHeader(payload).epoch }
}

/** A welcome has the place of its commit, behind it. */
export const placeOf = ({ seq, kind }: Pick<Kept, 'seq' | 'kind'>): number => seq * 2 + (kind === 'welcome' ? 1 : 0)

export const nameOf = ({ group, seq, kind }: Pick<Kept, 'group' | 'seq' | 'kind'>): string =>
  `${kind} ${seq} of ${group}`
