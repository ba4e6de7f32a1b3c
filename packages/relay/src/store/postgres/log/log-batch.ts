// Writes one batch to the log in one transaction:
// locks all its groups, judges writes one after the other, writes all rows together.
import { type AccountId, CodedError, fromBase32, type GroupId, type MessageId, toBase32 } from '@postern/protocol'
import type { Append, CommitEnvelope } from '../../relay-store.ts'
import type { DedicatedConnection } from '../connection/dedicated-connection.ts'
import type { Queries } from '../connection/queries.ts'
import type { TransactionOutcome } from '../connection/transaction.ts'
import type { StoredGroupState } from '../groups/locked-groups.ts'
import { AcknowledgedAhead } from '../mailboxes/acknowledgements.ts'
import { appendToLog } from './append-to-log.ts'
import { groupsMarked } from './attention-statement.ts'
import type { Batch, BatchParts, DayStored, JudgedWrite, LogAnswer, LogWrite } from './batch.ts'
import { BatchRows } from './batch-rows.ts'
import { commitToLog } from './commit-to-log.ts'
import { createGroupIn } from './create-group.ts'
import { InlineFanOut } from './inline-fan-out.ts'

type Locked = {
  devices: { device: string; generation: number }[] | null
  groups: StoredGroupState[] | null
  known: { message: string; sender: number; seq: number; ts: number }[] | null
  stored: DayStored[] | null
  waiting: number
}

const groupOf = (write: LogWrite): GroupId => {
  if (write.kind === 'create') return write.create.group
  return write.kind === 'append' ? write.append.group : write.commit.group
}

const envelopesIn = (writes: readonly LogWrite[]): (Append | CommitEnvelope)[] =>
  writes.flatMap(write => (write.kind === 'append' ? write.append : write.kind === 'commit' ? write.commit : []))

export async function writeBatch(
  line: DedicatedConnection,
  parts: BatchParts,
  writes: readonly LogWrite[],
): Promise<TransactionOutcome<JudgedWrite[]>> {
  const accounts = await parts.numbers.findAll(writes.flatMap(accountsNamed))
  const rows = new BatchRows(parts.hints)
  let groups: Batch['groups'] = new Map()
  const spent: Batch['spent'] = new Map()
  const ahead = new AcknowledgedAhead(parts.acknowledgements)
  const atOnce = new InlineFanOut(parts.fanOut, rows)
  let waiting = 0
  const undo = (): void => {
    ahead.undone()
    for (const write of writes) parts.rosters.forget(groupOf(write))
  }
  try {
    const judgeAll = async (tx: Queries): Promise<JudgedWrite[]> => {
      const batch = await lockBatch(tx, { parts, writes, accounts, rows, spent })
      waiting = batch.waiting
      groups = batch.groups
      const judged: JudgedWrite[] = []
      for (const write of writes) judged.push(await judge(batch, parts, write))
      return judged
    }
    const done = await line.transaction(judgeAll, () => [
      ...rows.statements(),
      ...atOnce.statements(waiting),
      ...ahead.statements(accounts.keys()),
    ])
    if (done.kind === 'in-doubt') {
      parts.reserves.forget(spent)
      undo()
    } else {
      ahead.committed()
      parts.reserves.spend(spent)
      for (const { id, entry } of rows.written) parts.entries.add(id, entry)
      atOnce.committed()
      parts.pushSignals?.marked([...groupsMarked(rows.written.map(({ entry }) => entry))])
      for (const group of groups.values()) parts.rosters.remember(group)
    }
    return done
  } catch (error) {
    undo()
    throw error
  }
}

const accountsNamed = (write: LogWrite): AccountId[] => {
  if (write.kind === 'create') return [write.create.creator]
  if (write.kind === 'commit') return [write.commit.sender, ...write.commit.add, ...write.commit.remove]
  const { sender, delivery } = write.append
  return delivery.kind === 'direct' ? [sender, delivery.to] : [sender]
}

type Locking = Pick<Batch, 'accounts' | 'rows' | 'spent'> & { parts: BatchParts; writes: readonly LogWrite[] }

async function lockBatch(tx: Queries, { parts, writes, accounts, rows, spent }: Locking): Promise<Batch> {
  const envelopes = envelopesIn(writes)
  const groups = [...new Set(writes.map(groupOf))]
  const devices = new Set(envelopes.flatMap(({ fence }) => fence?.device ?? []))
  const messages = envelopes.map(({ message }) => fromBase32(message) ?? new Uint8Array())
  const row = await tx.one<{ locked: Locked }>(
    'SELECT lock_batch($1::text[], $2::text[], $3::bigint[], $4::bytea, $5::integer[]) AS locked',
    [
      [...devices],
      groups,
      groups.map(group => parts.rosters.rosterOf(group)),
      Buffer.concat(messages),
      [...accounts.values()].map(({ num }) => num),
    ],
  )
  const locked = row?.locked
  return {
    tx,
    accounts,
    rows,
    spent,
    waiting: locked?.waiting ?? 0,
    backlog: parts.fanOut.backlog,
    devices: new Map(locked?.devices?.map(({ device, generation }) => [device, generation])),
    groups: new Map(locked?.groups?.map(state => [state.id, parts.rosters.lock(state)])),
    known: new Map(
      locked?.known?.map(known => [messageIn(known.message), { ...known, message: messageIn(known.message) }]),
    ),
    stored: new Map(locked?.stored?.map(stored => [stored.account, stored])),
  }
}

const messageIn = (hex: string): MessageId => toBase32(Buffer.from(hex, 'hex')) as MessageId

/** A refusal is an answer; an error of the database ends the transaction. */
async function judge(batch: Batch, parts: BatchParts, write: LogWrite): Promise<JudgedWrite> {
  try {
    return { kind: 'judged', answer: await answer(batch, parts, write) }
  } catch (error) {
    if (error instanceof CodedError && error.cause === undefined) return { kind: 'failed', error }
    throw error
  }
}

function answer(batch: Batch, parts: BatchParts, write: LogWrite): Promise<LogAnswer> {
  switch (write.kind) {
    case 'append':
      return appendToLog(batch, parts, write.append)
    case 'commit':
      return commitToLog(batch, parts, write.commit)
    case 'create':
      return createGroupIn(batch, parts, write.create)
  }
}
