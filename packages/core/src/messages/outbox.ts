// What waits for the relay's word: each ciphertext stays until it is known to be in the log, or known not to be.
import {
  type ChatId,
  clientLimits,
  Deadline,
  type GroupId,
  isCoded,
  type MessageId,
  type SendId,
} from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import { type Accepted, readEnvelopeHeader } from '@postern/protocol/relay'
import { findChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { noteWithdrawn } from '../groups/group-records.ts'
import { publishedVersion } from '../identity/profile.ts'
import type { Database } from '../storage/database.ts'
import { noteSent } from '../storage/sent-keys.ts'
import type { Store } from '../storage/store.ts'
import { isAboutGroup } from './compose.ts'
import type { MessageRow } from './messages.ts'
import { takeBody } from './take-body.ts'

type OutboxRow = {
  message_id: MessageId
  group_id: GroupId
  chat_id: ChatId
  wire: Uint8Array
  send_id: SendId
  body: string
  hello_version: number | null
}

/** Recorded only: should the power fail now, the outbox still has it, and the relay is asked again. */
export async function settleAccepted(
  core: Core,
  message: MessageId,
  accepted: Accepted,
): Promise<MessageRow | undefined> {
  const { row, taken } = await core.store.write(database => {
    const row = takeOut(database, message)
    // Settled already, by the look at the outbox with which a connection begins.
    if (!row) return { row, taken: database.get<MessageRow>('SELECT * FROM message WHERE id = ?', message) }
    const ts = core.order.place({ group: row.group_id, seq: accepted.seq, ts: accepted.ts })
    return { row, taken: takeOwn(core, database, { row, ts }) }
  }, 'recorded')
  core.doubts.delete(message)
  if (row) core.places.giveBack(row.group_id)
  return taken
}

/** It is in no log: the relay refused it, or never saw it. */
export async function dropWithdrawn(core: Core, message: MessageId): Promise<void> {
  const row = await core.store.write(database => {
    const row = takeOut(database, message)
    if (row) noteWithdrawn(database, row.group_id, readEnvelopeHeader(row.wire).epoch)
    return row
  })
  core.doubts.delete(message)
  if (row) core.places.giveBack(row.group_id)
}

type Doubt = { /** All of them, unless it says which. */ isAsked?: (row: OutboxRow) => boolean; deadline?: Deadline }

/**
 * What became of the messages whose answer was lost. On a new connection this comes before anything is delivered: others
 * may have reacted already to a message that is not in the history here. Who still waits for an answer sends again.
 */
export async function settleInDoubt(
  core: Core,
  { isAsked, deadline = usualDeadline(core) }: Doubt = {},
): Promise<void> {
  const rows = core.store.all<OutboxRow>('SELECT * FROM outbox').filter(row => isAsked?.(row) ?? true)
  const asked = rows.map(async ({ group_id: group, message_id: message }) => {
    // Looked up before the relay is asked: what nobody sends now, nobody will send again.
    const isGivenUp = !core.sending.has(message)
    return { message, isGivenUp, accepted: await askOutcome(core, { group, message }, deadline) }
  })
  const verdicts = await Promise.all(asked)
  verdicts.sort((one, other) => (one.accepted?.ts ?? 0) - (other.accepted?.ts ?? 0))
  for (const { message, isGivenUp, accepted } of verdicts) {
    if (accepted) await settleAccepted(core, message, accepted)
    else if (isGivenUp) await dropWithdrawn(core, message)
  }
}

/** The same over a connection that stays: an answer that came too late was heard by nobody, and what follows it counts on it. */
export async function settleGivenUp(core: Core): Promise<void> {
  const given = new Set(core.doubts)
  await settleInDoubt(core, { isAsked: row => given.has(row.message_id) })
  for (const message of given) core.doubts.delete(message)
}

/** In how many places of each group something waits. */
export const waitingCounts = (reads: Pick<Store, 'all'>): { group: GroupId; count: number }[] =>
  reads.all('SELECT group_id AS "group", count(*) AS count FROM outbox GROUP BY group_id')

async function askOutcome(
  core: Core,
  asked: { group: GroupId; message: MessageId },
  deadline: Deadline,
): Promise<Accepted | undefined> {
  try {
    return (await core.link.call('outcome', asked, deadline.leftMs())).accepted
  } catch (error) {
    // Who was removed meanwhile is told only of what it has said: so this is in no log. Thrown on, nothing would ever connect.
    if (isCoded(error, 'group-unknown')) return undefined
    throw error
  }
}

const usualDeadline = (core: Core): Deadline => new Deadline(core.clock, { deadlineMs: clientLimits.requestTimeoutMs })

function takeOut(database: Database, message: MessageId): OutboxRow | undefined {
  const row = database.get<OutboxRow>('SELECT * FROM outbox WHERE message_id = ?', message)
  if (row) database.run('DELETE FROM outbox WHERE message_id = ?', message)
  return row
}

/** Only of this epoch and profile: who has joined since then has not heard it, and nobody the name that is newer than it. */
function noteGreeted(database: Database, { group_id, wire, hello_version }: OutboxRow): void {
  if (hello_version === null || hello_version < publishedVersion(database)) return
  database.run(
    'UPDATE mls_group SET needs_hello = 0 WHERE id = ? AND needs_hello <> 0 AND epoch = ?',
    group_id,
    readEnvelopeHeader(wire).epoch,
  )
}

/** What we have said has its place in the log: it is applied here as it is at the others. */
function takeOwn(core: Core, database: Database, { row, ts }: { row: OutboxRow; ts: number }): MessageRow | undefined {
  const body = JSON.parse(row.body) as Content['body']
  noteGreeted(database, row)
  noteSent(database, row.send_id, { id: row.message_id, ts })
  const chat = findChat(database, row.chat_id)
  // A chat whose opening was in doubt has its first content now.
  const isShown = chat?.state === 'active' && !isAboutGroup(body)
  if (chat?.visible === 0 && isShown) database.run('UPDATE chat SET visible = 1 WHERE id = ?', chat.id)
  return (
    chat && takeBody(core, database, { id: row.message_id, chat, sender: core.own.id, ts, send: row.send_id, body })
  )
}
