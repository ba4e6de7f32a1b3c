// Appends messages to groups that this relay has written to before: judged by the remembered state, and written in one
// statement if that is still current.
import type { AccountId, GroupId } from '@postern/protocol'
import type { Append } from '../../relay-store.ts'
import type { NumberedAccount } from '../accounts/account-numbers.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import type { Queries } from '../connection/queries.ts'
import { causeOf, isAnswer, isWorthAlone } from '../connection/storage-error.ts'
import type { GroupNow, LockedGroup } from '../groups/locked-groups.ts'
import { AcknowledgedAhead } from '../mailboxes/acknowledgements.ts'
import { appendStatement, type RememberedState, readersOf } from './append-statement.ts'
import { appendToLog } from './append-to-log.ts'
import { groupsMarked } from './attention-statement.ts'
import type { Batch, BatchParts, JudgedWrite, LogWrite } from './batch.ts'
import { BatchRows } from './batch-rows.ts'

/** `fall-back`: the remembered state is stale or insufficient; nothing was written. */
export type OptimisticResult =
  | { kind: 'committed'; value: JudgedWrite[] }
  | { kind: 'in-doubt' }
  | { kind: 'fall-back' }
/** `conflict`: others have written to the groups. Their current state is now remembered. */
type Tried = OptimisticResult | { kind: 'conflict' }

/** The driver returns numbers in an array as strings. */
type Answer = {
  ids: string[] | null
  isPlaced: boolean | null
  nowSo: GroupNow[] | null
  reserved: string[] | null
}

const fallBack: OptimisticResult = { kind: 'fall-back' }

/** If two relays write to a group in turns, the second try succeeds with the current state. */
export async function writeOptimistic(
  line: DedicatedConnection,
  parts: BatchParts,
  writes: readonly LogWrite[],
): Promise<OptimisticResult> {
  const first = await tryOptimistic(line, parts, writes)
  if (first.kind !== 'conflict') return first
  const second = await tryOptimistic(line, parts, writes)
  return second.kind === 'conflict' ? fallBack : second
}

async function tryOptimistic(
  line: DedicatedConnection,
  parts: BatchParts,
  writes: readonly LogWrite[],
): Promise<Tried> {
  const batch = recall(parts, writes)
  if (!batch) return fallBack
  const judged = await judgeAll(batch, parts, writes)
  const forget = (): OptimisticResult => {
    for (const group of batch.groups.keys()) parts.rosters.forget(group)
    return fallBack
  }
  if (!judged) return forget()
  await line.connected()
  const ahead = new AcknowledgedAhead(parts.acknowledgements)
  const written = await write(line, { parts, batch, ahead }).catch((error: unknown) => {
    if (!isAnswer(causeOf(error))) {
      parts.reserves.forget(batch.spent)
      return { kind: 'in-doubt' } as const
    }
    if (isWorthAlone(error)) return fallBack
    ahead.undone()
    forget()
    throw error
  })
  if (written.kind === 'committed') {
    ahead.committed()
    return { kind: 'committed', value: judged }
  }
  ahead.undone()
  if (written.kind === 'conflict') parts.rosters.catchUp(batch.groups.values(), written.groups)
  else forget()
  return written
}

type Writing = { parts: BatchParts; batch: OptimisticBatch; ahead: AcknowledgedAhead }
type Written = { kind: 'committed' } | { kind: 'fall-back' } | { kind: 'conflict'; groups: GroupNow[] }

async function write(line: DedicatedConnection, { parts, batch, ahead }: Writing): Promise<Written> {
  const { fanOut, entries, rosters } = parts
  const { rows, told } = batch.rows.take()
  const readers = readersOf(rows.entries)
  const reached = ahead.take(batch.accounts.keys())
  const hint = fanOut.hintFor(readers.accounts)
  const { remembered } = batch
  const { text, values } = appendStatement({ remembered, rows, readers, hint, reached, hints: parts.hints })
  const answer = await line.use(queries => queries.one<Answer>(text, values))
  if (answer?.nowSo) return { kind: 'conflict', groups: answer.nowSo }
  if (!answer?.ids) return { kind: 'fall-back' }
  told(answer.ids.map(Number))
  parts.reserves.spend(batch.spent)
  for (const [at, { account, day }] of rows.charges.entries())
    parts.reserves.add(account, { day, bytes: Number(answer.reserved?.[at] ?? 0) })
  for (const { id, entry } of batch.rows.written) entries.add(id, entry)
  for (const group of batch.groups.values()) rosters.remember(group)
  if (answer.isPlaced) fanOut.grown(readers.accounts)
  else fanOut.poke(batch.rows.logged.mailboxes)
  parts.pushSignals?.marked([...groupsMarked(rows.entries)])
  return { kind: 'committed' }
}

type OptimisticBatch = Batch & { remembered: RememberedState }

function recall(parts: BatchParts, writes: readonly LogWrite[]): OptimisticBatch | undefined {
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
  return {
    ...{ accounts, groups, devices, tx: nothingToAsk, rows: new BatchRows(parts.hints) },
    // The server refuses duplicates and counts the bytes of the day.
    ...{ known: new Map(), stored: new Map(), spent: new Map(), waiting: 0, backlog: parts.fanOut.backlog },
    // A copy: judging the batch advances the counters.
    remembered: { devices, groups: [...groups.values()].map(group => ({ ...group })) },
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

/** For two connections of one device, at most one fence is valid. */
function recallDevice(into: Map<string, number>, { fence }: Append): boolean {
  if (!fence) return true
  const before = into.get(fence.device)
  into.set(fence.device, fence.generation)
  return before === undefined || before === fence.generation
}

/** Undefined unless all are accepted: only the current state of the group can justify a refusal. */
async function judgeAll(
  batch: Batch,
  parts: BatchParts,
  writes: readonly LogWrite[],
): Promise<JudgedWrite[] | undefined> {
  const judged: JudgedWrite[] = []
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
