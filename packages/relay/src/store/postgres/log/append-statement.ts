// A batch of messages as the one statement that writes it, together with what its relay remembers of their groups.

import { postgresLimits } from '@postern/protocol'
import { kindNumbers } from '../../stored-entry.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'
import type { AccountReached } from '../mailboxes/acknowledgements.ts'
import { type CollectedRows, messagesOf, recipientsOf } from './batch-rows.ts'

/** As they stood before the batch. */
export type RememberedState = {
  devices: ReadonlyMap<string, number>
  groups: readonly { num: number; id: string; seq: number; epoch: number; roster: { version: number } }[]
}
/** Whose mailbox gets which of the entries, by their order in the batch. */
export type Readers = { accounts: number[]; entries: number[] }
type Parts = {
  remembered: RememberedState
  rows: CollectedRows
  readers: Readers
  hint: string
  reached: AccountReached[]
}

const noReaders: Readers = { accounts: [], entries: [] }

/** Of a batch that is small: else nobody is told at once. */
export function readersOf(entries: readonly LoggedEntry[]): Readers {
  const readers: Readers = { accounts: [], entries: [] }
  for (const [at, { group, sender, recipients }] of entries.entries())
    for (const account of recipients ?? group.members.keys()) {
      if (!recipients && account === sender.num) continue
      if (readers.accounts.length >= postgresLimits.placeAtOnceMax) return noReaders
      readers.accounts.push(account)
      readers.entries.push(at + 1)
    }
  return readers
}

export function appendValues({ remembered, rows, readers, hint, reached }: Parts): unknown[] {
  const { devices, groups } = remembered
  const { entries, contacts, charges } = rows
  return [
    [...devices.keys()],
    [...devices.values()],
    groups.map(({ id }) => id),
    groups.map(({ roster }) => roster.version),
    groups.map(({ seq }) => seq),
    groups.map(({ epoch }) => epoch),
    postgresLimits.outboxRowsMax,
    hint,
    readers.accounts,
    readers.entries,
    entries.map(({ group }) => group.num),
    entries.map(({ seq }) => seq),
    entries.map(({ kind }) => kindNumbers[kind]),
    entries.map(({ sender }) => sender.num),
    entries.map(({ ts }) => ts),
    recipientsOf(entries),
    messagesOf(entries),
    Buffer.concat(entries.map(({ payload }) => payload)),
    startsOf(entries),
    entries.map(({ payload }) => payload.length),
    groups.map(({ num }) => num),
    rows.groups.map(({ seq }) => seq),
    rows.groups.map(({ lastTs }) => lastTs),
    contacts.map(({ account }) => account),
    contacts.map(({ peer }) => peer),
    charges.map(({ account }) => account),
    charges.map(({ day }) => day),
    charges.map(({ bytes }) => bytes),
    charges.map(({ limit }) => limit),
    reached.map(({ account }) => account),
    reached.map(({ cursor }) => cursor),
    reached.map(({ mark }) => mark),
  ]
}

/** Where each payload begins, as the server counts. */
function startsOf(entries: readonly LoggedEntry[]): number[] {
  let next = 1
  return entries.map(({ payload }) => {
    const start = next
    next += payload.length
    return start
  })
}

export const APPEND_BATCH = `SELECT ids, is_placed AS "isPlaced", now_so AS "nowSo" FROM append_batch(
  $1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer, $8::text, $9::integer[],
  $10::integer[], $11::integer[], $12::bigint[], $13::smallint[], $14::integer[], $15::bigint[], $16::text[], $17::bytea,
  $18::bytea, $19::integer[], $20::integer[], $21::integer[], $22::bigint[], $23::bigint[], $24::integer[], $25::integer[],
  $26::integer[], $27::integer[], $28::bigint[], $29::bigint[], $30::text[], $31::bigint[], $32::bigint[])`
