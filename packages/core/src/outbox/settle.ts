// What waits for the relay's word is settled: each ciphertext stays until it is known to be in the log, or known not to be.
import { clientLimits, Deadline, type GroupId, isCoded, type MessageId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import { type AcceptedEntry, readEnvelopeHeader } from '@postern/protocol/relay'
import { revealOpened } from '../chats/notices.ts'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { noteGreeted, noteWithdrawn } from '../groups/group-records.ts'
import { publishedVersion } from '../identity/profile.ts'
import type { ApplyContext } from '../kinds/kind.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { type MessageRow, messageById } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { noteSent } from '../storage/state/idempotency-keys.ts'
import { applyContent } from '../timeline/apply-content.ts'
import { type OutboxRow, removeWaiting, waitingRows } from './outbox.ts'

export type SettleContext = ApplyContext & Pick<Core, 'link' | 'order' | 'sending' | 'doubts' | 'sendSlots'>

/** `hasKey`: whether it may have been sent under one. `waiting`: as it stands in the outbox, where its sender still knows. */
type Answered = { message: MessageId; ts: number; hasKey: boolean; waiting?: OutboxRow }

/** The time of a message of one's own, by the relay's answer: the same when it is asked for again. */
export const placeOwn = ({ order }: Pick<Core, 'order'>, group: GroupId, { seq, ts }: AcceptedEntry): number =>
  order.place({ group, seq, ts })

/**
 * Promised is only what the relay has promised, that it has the message. Deferred: whoever asks reads it from now on, and it
 * goes to the disk with the next change that must. Killed or without power before that, the outbox still has it, and the
 * relay is asked again before anything else is read.
 */
export async function settleAccepted(
  core: SettleContext,
  { message, ts, hasKey, waiting }: Answered,
): Promise<MessageRow | undefined> {
  const { row, sent } = await core.store.write(database => {
    const row = removeWaiting(database, message, waiting)
    // Settled already, by the look at the outbox with which a connection begins.
    if (!row) return { row, sent: messageById(database, message) }
    if (hasKey) noteSent(database, row.send_id, { id: row.message_id, ts })
    return { row, sent: applyOwn(core, database, { row, ts }) }
  }, 'deferred')
  core.doubts.delete(message)
  if (row) core.sendSlots.release(row.group_id)
  return sent
}

/** It is in no log: the relay refused it, or never saw it. */
export async function dropWithdrawn(
  core: Pick<Core, 'store' | 'doubts' | 'sendSlots'>,
  message: MessageId,
): Promise<void> {
  const row = await core.store.write(database => {
    const row = removeWaiting(database, message)
    if (row) noteWithdrawn(database, row.group_id, readEnvelopeHeader(row.wire).epoch)
    return row
  })
  core.doubts.delete(message)
  if (row) core.sendSlots.release(row.group_id)
}

type Doubt = {
  /** Which messages of the outbox the relay is asked about; absent: about each of them. */
  isAsked?: (row: OutboxRow) => boolean
  deadline?: Deadline
}

/**
 * What became of the messages whose answer was lost. On a new connection this comes before anything is delivered: others
 * may have reacted already to a message that is not in the history here. Who still waits for an answer sends again.
 */
export async function settleInDoubt(
  core: SettleContext,
  { isAsked, deadline = usualDeadline(core) }: Doubt = {},
): Promise<void> {
  const rows = waitingRows(core.store).filter(row => isAsked?.(row) ?? true)
  const asked = rows.map(async ({ group_id: group, message_id: message }) => {
    // Looked up before the relay is asked: a message that nobody sends now is not sent again behind its answer.
    const isGivenUp = !core.sending.has(message)
    return { group, message, isGivenUp, accepted: await askOutcome(core, { group, message }, deadline) }
  })
  const verdicts = await Promise.all(asked)
  verdicts.sort((one, other) => (one.accepted?.ts ?? 0) - (other.accepted?.ts ?? 0))
  for (const { group, message, isGivenUp, accepted } of verdicts) {
    if (accepted) await settleAccepted(core, { message, ts: placeOwn(core, group, accepted), hasKey: true })
    else if (isGivenUp) await dropWithdrawn(core, message)
  }
}

/** The same for messages that nobody is sending just now: asked about those too, the relay would hear of each of a hundred at once twice. */
export async function settleUnsent(core: SettleContext): Promise<void> {
  await settleInDoubt(core, { isAsked: row => !core.sending.has(row.message_id) })
}

/** The same for messages whose answer was given up while the connection stays: what is read next may build on them. */
export async function settleGivenUp(core: SettleContext): Promise<void> {
  const given = new Set(core.doubts)
  await settleInDoubt(core, { isAsked: row => given.has(row.message_id) })
  for (const message of given) core.doubts.delete(message)
}

async function askOutcome(
  { link }: Pick<Core, 'link'>,
  asked: { group: GroupId; message: MessageId },
  deadline: Deadline,
): Promise<AcceptedEntry | undefined> {
  try {
    return (await link.call('outcome', asked, deadline.leftMs())).accepted
  } catch (error) {
    // The relay tells a removed member only of its messages in the log, so this one is not there. Thrown on, nothing would ever connect.
    if (isCoded(error, 'group-unknown')) return undefined
    throw error
  }
}

const usualDeadline = ({ clock }: Pick<Core, 'clock'>): Deadline =>
  new Deadline(clock, { timeoutMs: clientLimits.requestTimeoutMs })

/** A greeting counts for its epoch and profile: members who joined later did not hear it, and nobody heard a newer name. */
function settleGreeting(database: Database, { group_id, wire, hello_version }: OutboxRow): void {
  if (hello_version === null || hello_version < publishedVersion(database)) return
  noteGreeted(database, group_id, readEnvelopeHeader(wire).epoch)
}

/** What we have said stands in the log: it is applied here as it is at the others. */
function applyOwn(
  core: SettleContext,
  database: Database,
  { row, ts }: { row: OutboxRow; ts: number },
): MessageRow | undefined {
  const body = JSON.parse(row.body) as Content['body']
  settleGreeting(database, row)
  const chat = findChat(database, row.chat_id)
  // A chat whose opening was in doubt has its first content now.
  const isShown = chat?.state === 'active' && !isBetweenClients(body)
  if (chat?.visible === 0 && isShown) revealOpened(core, database, { chat: chat.id, ts: ts - 1 })
  // What clients say to each other about a group changes nothing for the one who says it.
  if (!chat || isBetweenClients(body)) return undefined
  const said = { id: row.message_id, chat, sender: core.own.id, ts, send: row.send_id, body }
  return applyContent(core, database, { ...said, way: 'in the chat' })
}
