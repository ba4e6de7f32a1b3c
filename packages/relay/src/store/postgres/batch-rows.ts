// The rows that a batch will write: collected while it is judged, and sent as one statement.
import { type AccountId, fromBase32, MESSAGE_ID_BYTES, type MessageId } from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import { joined, kindNumbers } from '../stored-entry.ts'
import type { LockedGroup } from './locked-groups.ts'
import type { Queries } from './queries.ts'

export type LoggedEntry = {
  group: LockedGroup
  kind: Entry['kind']
  sender: { num: number; id: AccountId }
  seq: number
  ts: number
  /** A welcome has none. */
  message: MessageId | undefined
  payload: Uint8Array
  /** Undefined: who is a member then. */
  recipients: readonly number[] | undefined
  added: AccountId[]
  removed: AccountId[]
}
type Charge = { account: number; day: number; bytes: number; limit: number }
/** The account knows the peer. */
type Contact = { account: number; peer: number }

const NO_MESSAGE = new Uint8Array(MESSAGE_ID_BYTES)

export class BatchRows {
  readonly #groups = new Set<LockedGroup>()
  readonly #charges = new Map<number, Charge>()
  #contacts: Contact[] = []
  #entries: LoggedEntry[] = []
  /** With the ids that they were given. */
  readonly written: { id: number; entry: LoggedEntry }[] = []

  log(entry: LoggedEntry): void {
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

  async flush(tx: Queries): Promise<void> {
    if (this.#entries.length + this.#charges.size === 0) return
    await this.write(values => tx.rows<{ id: number }>(WRITE, values))
  }

  /** `write` has the values of `write_batch`, and gives the ids of the entries, in their order. */
  async write(write: (values: unknown[]) => Promise<{ id: number }[]>): Promise<void> {
    const entries = this.#entries
    const ids = await write(this.#values(entries))
    if (ids.length < entries.length) return
    for (const [at, entry] of entries.entries()) this.written.push({ id: ids[at]?.id ?? 0, entry })
    this.#entries = []
    this.#contacts = []
    this.#charges.clear()
    this.#groups.clear()
  }

  #values(entries: readonly LoggedEntry[]): unknown[] {
    const groups = [...this.#groups]
    const charges = [...this.#charges.values()]
    return [
      entries.map(({ group }) => group.num),
      entries.map(({ seq }) => seq),
      entries.map(({ kind }) => kindNumbers[kind]),
      entries.map(({ sender }) => sender.num),
      entries.map(({ ts }) => ts),
      entries.map(({ recipients }) => (recipients ? `{${recipients.join(',')}}` : null)),
      entries.map(({ added }) => hexOf(joined(added))),
      entries.map(({ removed }) => hexOf(joined(removed))),
      Buffer.concat(entries.map(({ message }) => (message && fromBase32(message)) ?? NO_MESSAGE)),
      Buffer.concat(entries.map(({ payload }) => payload)),
      entries.map(({ payload }) => payload.length),
      groups.map(({ num }) => num),
      groups.map(({ epoch }) => epoch),
      groups.map(({ seq }) => seq),
      groups.map(({ lastTs }) => lastTs),
      this.#contacts.map(({ account }) => account),
      this.#contacts.map(({ peer }) => peer),
      charges.map(({ account }) => account),
      charges.map(({ day }) => day),
      charges.map(({ bytes }) => bytes),
      charges.map(({ limit }) => limit),
    ]
  }
}

const hexOf = (bytes: Uint8Array | null): string | null => bytes && Buffer.from(bytes).toString('hex')

const WRITE = `SELECT id FROM write_batch($1::integer[], $2::bigint[], $3::smallint[], $4::integer[], $5::bigint[],
  $6::text[], $7::text[], $8::text[], $9::bytea, $10::bytea, $11::integer[], $12::integer[], $13::bigint[], $14::bigint[],
  $15::bigint[], $16::integer[], $17::integer[], $18::integer[], $19::integer[], $20::bigint[], $21::bigint[]) AS id`
