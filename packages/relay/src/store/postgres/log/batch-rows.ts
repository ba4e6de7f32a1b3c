// The rows that a batch will write: collected while it is judged, and sent as one statement.

import { fromBase32, MESSAGE_ID_BYTES } from '@postern/protocol'
import { joined, kindNumbers } from '../../stored-entry.ts'
import type { Hints } from '../connection/hints.ts'
import type { PostgresStatement, Queries } from '../connection/queries.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'
import { attentionValues, hasAttention, insertAttention } from './attention-statement.ts'

type Charge = { account: number; day: number; bytes: number; limit: number }
/** The account knows the peer. */
type Contact = { account: number; peer: number }
export type CollectedRows = {
  entries: readonly LoggedEntry[]
  groups: readonly LockedGroup[]
  contacts: readonly Contact[]
  charges: readonly Charge[]
}

const NO_MESSAGE = new Uint8Array(MESSAGE_ID_BYTES)

export class BatchRows {
  readonly #hints: Hints
  readonly #groups = new Set<LockedGroup>()
  readonly #charges = new Map<number, Charge>()
  #contacts: Contact[] = []
  #entries: LoggedEntry[] = []
  /** Counts all entries and the mailboxes that receive them. */
  readonly logged = { entries: 0, mailboxes: 0, hasCommit: false }
  /** With the ids that they were assigned. */
  readonly written: { id: number; entry: LoggedEntry }[] = []

  constructor(hints: Hints) {
    this.#hints = hints
  }

  log(entry: LoggedEntry): void {
    const { group, kind, recipients } = entry
    this.logged.entries += 1
    this.logged.mailboxes += recipients?.length ?? group.members.size
    this.logged.hasCommit ||= kind === 'commit'
    this.#entries.push(entry)
    this.#groups.add(entry.group)
  }

  note(contact: Contact): void {
    this.#contacts.push(contact)
  }

  charge(charge: Charge): void {
    const before = this.#charges.get(charge.account)
    this.#charges.set(charge.account, { ...charge, bytes: charge.bytes + (before?.bytes ?? 0) })
  }

  /** Before a query that must find these rows. */
  async flush(tx: Queries): Promise<void> {
    for (const { text, values, told } of this.statements()) told?.(await tx.rows(text, values))
  }

  /** Returns the collected rows as statements, and starts a new collection. */
  statements(): PostgresStatement[] {
    if (this.#entries.length + this.#charges.size === 0) return []
    const { rows, told } = this.take()
    const isMarked = hasAttention(rows.entries)
    const values = isMarked
      ? [...writtenValues(rows), ...attentionValues(rows.entries, this.#hints)]
      : writtenValues(rows)
    return [
      {
        text: isMarked ? WRITE_MARKED : WRITE,
        values,
        told: given => told((given as { id: number }[]).map(({ id }) => id)),
      },
    ]
  }

  /**
   * Returns the collected rows, and starts a new collection;
   * `told` receives the ids of the entries, in their order.
   */
  take(): { rows: CollectedRows; told: (ids: readonly number[]) => void } {
    const entries = this.#entries
    const rows = {
      entries,
      groups: [...this.#groups],
      contacts: this.#contacts,
      // In a fixed order, as everywhere: two batches that count the same accounts would otherwise deadlock.
      charges: [...this.#charges.values()].sort((a, b) => a.account - b.account),
    }
    const told = (ids: readonly number[]): void => {
      for (const [at, entry] of entries.entries()) this.written.push({ id: ids[at] ?? 0, entry })
    }
    this.#entries = []
    this.#contacts = []
    this.#charges.clear()
    this.#groups.clear()
    return { rows, told }
  }
}

const hexOf = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex')

/** One string of bytes for all of them: an array would be sent as text. */
export const messagesOf = (entries: readonly LoggedEntry[]): Buffer =>
  Buffer.concat(entries.map(({ message }) => (message && fromBase32(message)) ?? NO_MESSAGE))

export const recipientsOf = (entries: readonly LoggedEntry[]): (string | null)[] =>
  entries.map(({ recipients }) => (recipients ? `{${recipients.join(',')}}` : null))

const writtenValues = ({ entries, groups, contacts, charges }: CollectedRows): unknown[] => [
  entries.map(({ group }) => group.num),
  entries.map(({ seq }) => seq),
  entries.map(({ kind }) => kindNumbers[kind]),
  entries.map(({ sender }) => sender.num),
  entries.map(({ ts }) => ts),
  recipientsOf(entries),
  entries.map(({ added }) => hexOf(joined(added))),
  entries.map(({ removed }) => hexOf(joined(removed))),
  messagesOf(entries),
  Buffer.concat(entries.map(({ payload }) => payload)),
  entries.map(({ payload }) => payload.length),
  groups.map(({ num }) => num),
  groups.map(({ epoch }) => epoch),
  groups.map(({ seq }) => seq),
  groups.map(({ lastTs }) => lastTs),
  contacts.map(({ account }) => account),
  contacts.map(({ peer }) => peer),
  charges.map(({ account }) => account),
  charges.map(({ day }) => day),
  charges.map(({ bytes }) => bytes),
  charges.map(({ limit }) => limit),
]

const ARGUMENTS = `($1::integer[], $2::bigint[], $3::smallint[], $4::integer[], $5::bigint[],
  $6::text[], $7::text[], $8::text[], $9::bytea, $10::bytea, $11::integer[], $12::integer[], $13::bigint[], $14::bigint[],
  $15::bigint[], $16::integer[], $17::integer[], $18::integer[], $19::integer[], $20::bigint[], $21::bigint[])`
const WRITE = `SELECT id FROM write_batch ${ARGUMENTS} AS id`
const WRITE_MARKED = `
  WITH given AS (SELECT id, n FROM write_batch ${ARGUMENTS} WITH ORDINALITY AS w (id, n)),
    ${insertAttention(22, { id: 'given.id', is: 'given.n = m.n' })}
  SELECT id FROM given CROSS JOIN told ORDER BY n`
