// Builds the one statement that writes a batch of messages, together with the remembered state of their groups.

import { postgresLimits } from '@postern/protocol'
import { kindNumbers } from '../../stored-entry.ts'
import type { Hints } from '../connection/hints.ts'
import type { LoggedEntry } from '../groups/logged-entry.ts'
import type { AccountReached } from '../mailboxes/acknowledgements.ts'
import { attentionValues, hasAttention, insertAttention } from './attention-statement.ts'
import { type CollectedRows, messagesOf, recipientsOf } from './batch-rows.ts'

/** The state before the batch. */
export type RememberedState = {
  devices: ReadonlyMap<string, number>
  groups: readonly { num: number; id: string; seq: number; epoch: number; roster: { version: number } }[]
}
/** Which accounts receive which of the entries, by their order in the batch. */
export type Readers = { accounts: number[]; entries: number[] }
type Parts = {
  remembered: RememberedState
  rows: CollectedRows
  readers: Readers
  hint: string
  reached: AccountReached[]
  hints: Hints
}

const noReaders: Readers = { accounts: [], entries: [] }

/** For a small batch only; a larger one leaves the mailboxes to the fan-out. */
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

export function appendStatement(parts: Parts): { text: string; values: unknown[] } {
  const { entries } = parts.rows
  if (!hasAttention(entries)) return { text: APPEND, values: appendValues(parts) }
  return { text: APPEND_MARKED, values: [...appendValues(parts), ...attentionValues(entries, parts.hints)] }
}

function appendValues({ remembered, rows, readers, hint, reached }: Parts): unknown[] {
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
    charges.map(() => postgresLimits.dayBytesReserved),
    reached.map(({ account }) => account),
    reached.map(({ cursor }) => cursor),
    reached.map(({ mark }) => mark),
  ]
}

/** Where each payload begins, counted from 1 as the server does. */
function startsOf(entries: readonly LoggedEntry[]): number[] {
  let next = 1
  return entries.map(({ payload }) => {
    const start = next
    next += payload.length
    return start
  })
}

const ARGUMENTS = `(
  $1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::integer, $8::text, $9::integer[],
  $10::integer[], $11::integer[], $12::bigint[], $13::smallint[], $14::integer[], $15::bigint[], $16::text[], $17::bytea,
  $18::bytea, $19::integer[], $20::integer[], $21::integer[], $22::bigint[], $23::bigint[], $24::integer[], $25::integer[],
  $26::integer[], $27::integer[], $28::bigint[], $29::bigint[], $30::bigint[],
  $31::text[], $32::bigint[], $33::bigint[])`
const ANSWER = 'ids, is_placed AS "isPlaced", now_so AS "nowSo", reserved'
const APPEND = `SELECT ${ANSWER} FROM append_entries ${ARGUMENTS}`
const APPEND_MARKED = `
  WITH given AS MATERIALIZED (SELECT * FROM append_entries ${ARGUMENTS}),
    ${insertAttention(34, { id: 'given.ids[m.n]', is: 'given.ids IS NOT NULL' })}
  SELECT ${ANSWER} FROM given CROSS JOIN told`
