// The messages sent to relays, the answers to their senders, and the entries in mailboxes: everything that is compared.
import { createHash } from 'node:crypto'
import { type AccountId, type GroupId, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type MailboxEntry, readEnvelopeHeader } from '@postern/protocol/relay'

export type Told =
  /** `line`: the connection of the answer, `place`: the position of the message among all sent there. */
  | { kind: 'accepted'; seq: number; ts: number; isDuplicate: boolean; line: number; place: number }
  /** Refused permanently, or missing when the newest connection asked for it: it must never appear. */
  | { kind: 'absent'; why: string }

export type Deed = {
  /** For the table: `message to 200`. */
  readonly label: string
  readonly kind: 'message' | 'direct' | 'leave' | 'commit'
  readonly message: MessageId
  readonly group: GroupId
  readonly sender: AccountId
  readonly epoch: number
  /** For a direct message. */
  readonly to: AccountId | undefined
  readonly add: readonly AccountId[]
  readonly remove: readonly AccountId[]
  readonly told: Told[]
}

/** An entry of a mailbox, with the unencrypted part of its payload. A welcome names the epoch that it admits to. */
export type Kept = Omit<MailboxEntry, 'payload'> & { message: MessageId; epoch: number }
/** In reading order. */
export type Mailbox = { account: AccountId; entries: readonly Kept[] }

const seen = new Map<string, Kept>()

/** One object for equal entries: an entry is in hundreds of mailboxes, and a long campaign would fill the memory. */
export function keptOf({ payload, ...entry }: MailboxEntry): Kept {
  const hash = createHash('sha256').update(payload).digest()
  const facts = `${hash.toString('base64')} ${JSON.stringify(entry)}`
  const before = seen.get(facts)
  if (before) return before
  const kept = { ...entry, message: messageIdFromHash(hash), epoch: readEnvelopeHeader(payload).epoch }
  seen.set(facts, kept)
  return kept
}

/** A welcome has the position of its commit, after it. */
export const placeOf = ({ seq, kind }: Pick<Kept, 'seq' | 'kind'>): number => seq * 2 + (kind === 'welcome' ? 1 : 0)

export const nameOf = ({ group, seq, kind }: Pick<Kept, 'group' | 'seq' | 'kind'>): string =>
  `${kind} ${seq} of ${group}`
