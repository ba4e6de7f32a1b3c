// Settles what waits for the relay's answer:
// each ciphertext stays until it is known to be in the log, or known not to be.
import { clientLimits, Deadline, type GroupId, isCoded, type MessageId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import { type AcceptedEntry, readEnvelopeHeader } from '@postern/protocol/relay'
import { revealOpened } from '../chats/notices.ts'
import { noteAskSent } from '../chats/records/asked-joins.ts'
import { findChat, otherPerson } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { noteGreeted, noteWithdrawn } from '../groups/group-records.ts'
import { wantsPreviews } from '../identity/preview-wish.ts'
import { publishedVersion } from '../identity/profile.ts'
import type { ApplyContext } from '../kinds/kind.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { isMessage } from '../kinds/new-message.ts'
import { type MessageRow, messageById } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { noteSent } from '../storage/state/idempotency-keys.ts'
import { applyContent } from '../timeline/apply-content.ts'
import { type OutboxRow, removeWaiting, waitingRows } from './outbox.ts'

export type SettleContext = ApplyContext & Pick<Core, 'link' | 'order' | 'sending' | 'doubts' | 'sendSlots'>

/** `hasKey`: whether it may have been sent under one. `waiting`: its row in the outbox, if its sender still has it. */
type Answered = { message: MessageId; ts: number; hasKey: boolean; waiting?: OutboxRow }

/** The time of a message of our own, by the relay's answer: the same when it is asked again. */
export const placeOwn = ({ order }: Pick<Core, 'order'>, group: GroupId, { seq, ts }: AcceptedEntry): number =>
  order.place({ group, seq, ts })

/**
 * The caller is promised only what the relay has promised: that it has the message. The write is deferred: readers see
 * it from now on, and it reaches the disk with the next durable change. After a kill or a power cut before that, the
 * outbox still has the message, and the client asks the relay again before it reads anything else.
 */
export async function settleAccepted(
  core: SettleContext,
  { message, ts, hasKey, waiting }: Answered,
): Promise<MessageRow | undefined> {
  const { row, sent } = await core.store.write(database => {
    const row = removeWaiting(database, message, waiting)
    // Already settled when the connection began.
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
  /** Selects the messages of the outbox to ask the relay about. Absent: all of them. */
  isAsked?: (row: OutboxRow) => boolean
  deadline?: Deadline
}

/**
 * Settles messages whose answer was lost. On a new connection this comes before anything is delivered: others may have
 * reacted already to a message that is not in the history here. A caller that still waits for an answer sends again.
 */
export async function settleInDoubt(
  core: SettleContext,
  { isAsked, deadline = usualDeadline(core) }: Doubt = {},
): Promise<void> {
  const rows = waitingRows(core.store).filter(row => isAsked?.(row) ?? true)
  const asked = rows.map(async ({ group_id: group, message_id: message }) => {
    // Looked up before the relay is asked: a message that no caller is sending now is not sent again after its answer.
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

/**
 * The same for messages that no caller is sending now: otherwise the relay would be asked about each of a hundred
 * concurrent sends twice.
 */
export async function settleUnsent(core: SettleContext): Promise<void> {
  await settleInDoubt(core, { isAsked: row => !core.sending.has(row.message_id) })
}

/** The same for messages whose answer was given up while the connection stays: entries read next may build on them. */
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
    // The relay tells a removed member only about its messages in the log, so this one is not there. Rethrown, the
    // error would prevent every connection.
    if (isCoded(error, 'group-unknown')) return undefined
    throw error
  }
}

const usualDeadline = ({ clock }: Pick<Core, 'clock'>): Deadline =>
  new Deadline(clock, { timeoutMs: clientLimits.requestTimeoutMs })

/**
 * A greeting counts for its epoch and profile:
 * members who joined later did not receive it, and nobody received a newer name or a newer wish.
 */
function settleGreeting(database: Database, { group_id, wire, hello_version, hello_previews }: OutboxRow): void {
  if (hello_version === null || hello_version < publishedVersion(database)) return
  if ((hello_previews === 1) !== wantsPreviews(database)) return
  noteGreeted(database, group_id, readEnvelopeHeader(wire).epoch)
}

/** Our content is in the log: applies it here as the others do. */
function applyOwn(
  core: SettleContext,
  database: Database,
  { row, ts }: { row: OutboxRow; ts: number },
): MessageRow | undefined {
  const body = JSON.parse(row.body) as Content['body']
  settleGreeting(database, row)
  const chat = findChat(database, row.chat_id)
  // A chat whose opening was in doubt has its first content now.
  // Only a message shows a chat again that its owner has deleted: no reaction that was in doubt, and no greeting.
  const isShown = chat?.state === 'active' && !isBetweenClients(body) && (!chat.declined || isMessage(body))
  if (chat?.visible === 0 && isShown) revealOpened(core, database, { chat: chat.id, ts: ts - 1 })
  const asked = chat && otherPerson(chat)
  if (asked && body.kind === 'join-ask') noteAskSent(database, { account: asked, token: body.token })
  // The other messages between clients change nothing for their sender.
  if (!chat || isBetweenClients(body)) return undefined
  const said = { id: row.message_id, chat, group: row.group_id, sender: core.own.id, ts, send: row.send_id, body }
  return applyContent(core, database, { ...said, way: 'in the chat' })
}
