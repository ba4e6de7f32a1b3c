// Messages for groups that this relay has written to before: judged by what it remembers of them, and written in one statement if that still holds.
import { type AccountId, type GroupId, postgresLimits } from '@postern/protocol'
import type { Append } from '../relay-store.ts'
import type { NumberedAccount } from './account-numbers.ts'
import { appendToLog } from './append-to-log.ts'
import type { Batch, BatchParts, Judged, LogWrite } from './batch.ts'
import { BatchRows } from './batch-rows.ts'
import type { DatabaseLine } from './database-line.ts'
import type { LockedGroup } from './locked-groups.ts'
import { PlaceAtOnce } from './place-at-once.ts'
import type { Queries } from './queries.ts'
import { causeOf, isAnswer, isWorthAlone } from './storage-error.ts'

/** `not-so`: what was remembered does not hold, or says too little; nothing was written. */
export type Recalled = { kind: 'committed'; value: Judged[] } | { kind: 'in-doubt' } | { kind: 'not-so' }

/** The ids as the driver gives a list of them. */
type Written = { ids: string[]; grown: number[] | null; isPlaced: boolean | null }

const notSo: Recalled = { kind: 'not-so' }

export async function writeRecalled(
  line: DatabaseLine,
  parts: BatchParts,
  writes: readonly LogWrite[],
): Promise<Recalled> {
  const batch = recall(parts, writes)
  if (!batch) return notSo
  const judged = await judgeAll(batch, parts, writes)
  const forget = (): Recalled => {
    for (const group of batch.groups.keys()) parts.rosters.forget(group)
    return notSo
  }
  if (!judged) return forget()
  await line.connected()
  const atOnce = new PlaceAtOnce(parts.fanOut, batch.rows)
  const { values, told } = batch.rows.take()
  let written: Written | undefined
  try {
    const placing = [atOnce.entries, parts.fanOut.name]
    written = await line.use(queries => queries.one<Written>(TRY, [...batch.expected, ...placing, ...values]))
  } catch (error) {
    forget()
    if (!isAnswer(causeOf(error))) return { kind: 'in-doubt' }
    if (isWorthAlone(error)) return notSo
    throw error
  }
  if (!written) return forget()
  told(written.ids.map(Number))
  if (written.isPlaced) atOnce.placed(written)
  for (const { id, entry } of batch.rows.written) parts.entries.add(id, entry)
  for (const group of batch.groups.values()) parts.rosters.remember(group)
  atOnce.committed()
  return { kind: 'committed', value: judged }
}

type RecalledBatch = Batch & { expected: unknown[] }

function recall(parts: BatchParts, writes: readonly LogWrite[]): RecalledBatch | undefined {
  const accounts = new Map<AccountId, NumberedAccount>()
  const groups = new Map<GroupId, LockedGroup>()
  const devices = new Map<string, number>()
  for (const write of writes) {
    if (write.kind !== 'append' || write.append.delivery.kind === 'leave') return undefined
    const { append } = write
    const group = groups.get(append.group) ?? parts.rosters.recall(append.group)
    if (!group || !recallAccounts(parts, accounts, append) || !recallDevice(devices, append)) return undefined
    groups.set(append.group, group)
  }
  // What its sender has acknowledged goes with it, in a transaction.
  if (parts.acknowledgements.isWaitingFor(accounts.keys())) return undefined
  const all = [...groups.values()]
  const expected = [
    [...devices.keys()],
    [...devices.values()],
    all.map(({ id }) => id),
    all.map(({ roster }) => roster.version),
    all.map(({ seq }) => seq),
    all.map(({ epoch }) => epoch),
    postgresLimits.outboxRowsMax,
  ]
  return {
    ...{ accounts, groups, devices, expected, tx: nothingToAsk, rows: new BatchRows() },
    // What is in the log already is refused there, and what was stored today is counted there.
    ...{ known: new Map(), stored: new Map(), waiting: 0 },
  }
}

function recallAccounts({ numbers }: BatchParts, into: Map<AccountId, NumberedAccount>, append: Append): boolean {
  const { sender, delivery } = append
  for (const account of delivery.kind === 'direct' ? [sender, delivery.to] : [sender]) {
    const held = numbers.held(account)
    if (!held) return false
    into.set(account, held)
  }
  return true
}

/** Two connections of one device: at most one of them is right. */
function recallDevice(into: Map<string, number>, { fence }: Append): boolean {
  if (!fence) return true
  const before = into.get(fence.device)
  into.set(fence.device, fence.generation)
  return before === undefined || before === fence.generation
}

/** Undefined unless all of them are accepted: a refusal is told by who knows how the group stands. */
async function judgeAll(batch: Batch, parts: BatchParts, writes: readonly LogWrite[]): Promise<Judged[] | undefined> {
  const judged: Judged[] = []
  try {
    for (const write of writes) {
      if (write.kind !== 'append') return undefined
      const answer = await appendToLog(batch, parts, write.append)
      if (!answer.accepted) return undefined
      judged.push({ kind: 'judged', answer })
    }
    return judged
  } catch {
    return undefined
  }
}

const ask = (): Promise<never> => Promise.reject(new TypeError('only a transaction can answer that'))
const nothingToAsk: Queries = { rows: ask, one: ask, run: ask, script: ask }

const TRY = `SELECT ids, grown, is_placed AS "isPlaced" FROM try_batch($1::text[], $2::bigint[], $3::text[], $4::bigint[],
  $5::bigint[], $6::bigint[], $7::integer, $8::integer, $9::text, $10::integer[], $11::bigint[], $12::smallint[],
  $13::integer[], $14::bigint[], $15::text[], $16::text[], $17::text[], $18::bytea, $19::bytea, $20::integer[],
  $21::integer[], $22::bigint[], $23::bigint[], $24::bigint[], $25::integer[], $26::integer[], $27::integer[],
  $28::integer[], $29::bigint[], $30::bigint[])`
