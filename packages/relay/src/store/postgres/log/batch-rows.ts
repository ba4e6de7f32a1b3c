// The rows that a batch will write: collected while it is judged, and sent as one statement.

import { fromBase32, MESSAGE_ID_BYTES } from '@postern/protocol'
import { joined, kindNumbers } from '../../stored-entry.ts'
import type { PostgresStatement, Queries } from '../connection/queries.ts'
import type { LockedGroup } from '../groups/locked-groups.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'

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
  readonly #groups = new Set<LockedGroup>()
  readonly #charges = new Map<number, Charge>()
  #contacts: Contact[] = []
  #entries: LoggedEntry[] = []
  /** All of them, and how many mailboxes they are for. */
  readonly logged = { entries: 0, mailboxes: 0, hasCommit: false }
  /** With the ids that they were given. */
  readonly written: { id: number; entry: LoggedEntry }[] = []

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

  /** Before something that has to find these rows. */
  async flush(tx: Queries): Promise<void> {
    for (const { text, values, told } of this.statements()) told?.(await tx.rows(text, values))
  }

  /** All that is collected, as what is left to ask. From then on it begins anew. */
  statements(): PostgresStatement[] {
    if (this.#entries.length + this.#charges.size === 0) return []
    const { rows, told } = this.take()
    const values = writtenValues(rows)
    return [{ text: WRITE, values, told: given => told((given as { id: number }[]).map(({ id }) => id)) }]
  }

  /** All that is collected; `told` gets the ids of the entries, in their order. From then on it begins anew. */
  take(): { rows: CollectedRows; told: (ids: readonly number[]) => void } {
    const entries = this.#entries
    const rows = {
      entries,
      groups: [...this.#groups],
      contacts: this.#contacts,
      // In one order, as everywhere: two that count the same accounts would else wait for each other.
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

/** One string of bytes for all of them: an array of them would travel as text. */
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

const WRITE = `SELECT id FROM write_batch($1::integer[], $2::bigint[], $3::smallint[], $4::integer[], $5::bigint[],
  $6::text[], $7::text[], $8::text[], $9::bytea, $10::bytea, $11::integer[], $12::integer[], $13::bigint[], $14::bigint[],
  $15::bigint[], $16::integer[], $17::integer[], $18::integer[], $19::integer[], $20::bigint[], $21::bigint[]) AS id`
