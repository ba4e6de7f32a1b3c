// Sending: until the relay has answered, every try sends the same bytes; when the group has moved on, the words go out anew.
import { type ChatId, CodedError, type Deadline, faultFields, type GroupId, isCoded } from '@postern/protocol'
import { type Accepted, readEnvelopeHeader, type Verdict } from '@postern/protocol/relay'
import { type ChatRow, findChat } from '../chats/chats.ts'
import { removeLeavers } from '../chats/remove-leavers.ts'
import { needsRepair, repairLists } from '../chats/repair-lists.ts'
import type { Core } from '../context.ts'
import { commitToGroup, settlePending } from '../groups/commit-group.ts'
import { findGroup, type GroupRow, needsNewKeys } from '../groups/group-records.ts'
import { assertNotBehind, type BehindContext } from '../groups/relay-behind.ts'
import { progressOf } from '../journal/progress.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import type { MessageKind } from '../kinds/new-message.ts'
import type { ShownMessage } from '../messages/messages.ts'
import { isRefusal, isStorageFault, isUnanswered, onlineAgain } from '../relay-link/relay-answers.ts'
import { type Composed, composeMessage, type Draft } from './compose.ts'
import { dropWithdrawn, placeOwn, type Settling, settleAccepted } from './settle.ts'

type ContentSend = { draft: Draft; deadline: Deadline }

/** Resolves when the relay has it durably. The row is absent for what is no message: a hello, a leave. */
export async function sendContent(core: Core, chat: ChatId, send: ContentSend): Promise<ShownMessage | undefined> {
  for (;;) {
    const { group_id: group } = writableChat(core, chat, send)
    const composed = await composeInSlot(core, { chat, group }, send)
    const accepted = composed && (await submit(core, { chat, composed, ...send }))
    if (accepted) return await settleOwn(core, { chat, composed, draft: send.draft }, accepted)
  }
}

type Own = { chat: ChatId; composed: Composed; draft: Draft }

async function settleOwn(
  core: Settling & Pick<Core, 'poke'>,
  { chat, composed: { id, group, waiting }, draft }: Own,
  accepted: Accepted,
): Promise<ShownMessage | undefined> {
  const ts = placeOwn(core, group, accepted)
  try {
    return await settleAccepted(core, { message: id, ts, hasKey: draft.idempotency !== undefined, waiting })
  } catch (error) {
    core.doubts.add(id)
    core.poke()
    // Whoever asks next is shown what was before: an edit that is answered with the old words would seem to be lost.
    if (!isMessageBody(draft.body)) throw new CodedError('send-in-doubt', {}, { cause: error })
    // The others have it, and our disk is full: it is sent, and the outbox settles it when there is room.
    core.log.warn({ ...faultFields(error), chat, message: id }, 'a message that was sent could not be noted yet')
    return unwritten({ id, chat_id: chat, sender: core.own.id, ts }, draft.body)
  }
}

type MessageBody = Extract<Draft['body'], { kind: MessageKind }>

const isMessageBody = (body: Draft['body']): body is MessageBody =>
  body.kind === 'text' || body.kind === 'file' || body.kind === 'poll'

/** As its row will be. */
const unwritten = (row: Pick<ShownMessage, 'id' | 'chat_id' | 'sender' | 'ts'>, body: MessageBody): ShownMessage => ({
  ...row,
  body: JSON.stringify(body),
  edited_ts: null,
  expires_ts: body.timerMs ? row.ts + body.timerMs : null,
})

function writableChat({ store }: Pick<Core, 'store'>, chat: ChatId, { draft }: ContentSend): ChatRow {
  const row = findChat(store, chat)
  if (!row) throw new CodedError('chat-not-found', { chat })
  // Nobody is shown a chat in which two clients speak about a group that they share.
  const isUnseen = row.visible === 0 && (isBetweenClients(draft.body) || isFarewellTo(row, draft))
  if (row.state === 'request' && !isUnseen) throw new CodedError('chat-is-request')
  if (row.state === 'left') throw new CodedError('chat-left')
  if (row.blocked) throw new CodedError('chat-blocked')
  return row
}

/** A group that was declined is left, and nothing else is ever said in it. */
const isFarewellTo = (row: ChatRow, { body }: Draft): boolean => row.declined === 1 && body.kind === 'leave'

type Where = { chat: ChatId; group: GroupId }

/** What is composed keeps its slot until it is settled. Undefined when the chat has another group by now. */
async function composeInSlot(core: Core, where: Where, send: ContentSend): Promise<Composed | undefined> {
  await core.sendSlots.reserve(where.group, send.deadline.leftMs())
  let composed: Composed | undefined
  try {
    composed = await composeWhenReady(core, where, send)
    return composed
  } catch (error) {
    // The commit before it is in doubt; the message itself was not encrypted, so it was not sent.
    throw isCoded(error, 'send-in-doubt') ? new CodedError('relay-unreachable', {}, { cause: error }) : error
  } finally {
    if (!composed) core.sendSlots.release(where.group)
  }
}

async function composeWhenReady(
  core: Core,
  { chat, group }: Where,
  { draft, deadline }: ContentSend,
): Promise<Composed | undefined> {
  for (;;) {
    await core.link.whenOnline(deadline.leftMs())
    const row = writableChat(core, chat, { draft, deadline })
    if (row.group_id !== group) return undefined
    await tidyGroup(core, row, deadline)
    const composed = await composeMessage(core, { chat, group, draft })
    if (composed === 'busy') await settlePending(core, group, deadline)
    else if (composed !== 'stale') return composed
  }
}

/** Before anything is said: leavers are removed, and keys renewed that others may know or that are too far ahead. */
async function tidyGroup(core: Core, chat: ChatRow, deadline: Deadline): Promise<void> {
  const { id: group } = currentGroup(core, chat)
  await removeLeavers(core, { chat: chat.id, group }, deadline)
  // A message sent while the relay's list of members lacks somebody would never reach that member.
  if (needsRepair(core, group)) await repairLists(core, group, deadline)
  // Of many who find it due, one renews the keys for all.
  const isDue = () => needsNewKeys(currentGroup(core, chat))
  if (isDue()) await commitToGroup(core, group, { intent: () => (isDue() ? {} : 'satisfied'), deadline })
}

function currentGroup({ store }: Pick<Core, 'store'>, chat: ChatRow): GroupRow {
  const row = findGroup(store, chat.group_id)
  // A broken group is replaced by the chores; until then nothing can be said in it.
  if (row?.status !== 'open') throw new CodedError('chat-healing')
  return row
}

type Submitting = Pick<Core, 'store' | 'link' | 'sending' | 'doubts' | 'sendSlots'> & BehindContext
type Submission = ContentSend & { chat: ChatId; composed: Composed }

/** Undefined when the group had moved on and this client has caught up: then it is to be encrypted again. */
async function submit(core: Submitting, submission: Submission): Promise<Accepted | undefined> {
  const { chat, composed, deadline } = submission
  try {
    const verdict = await appendUntilAnswered(core, submission)
    if (verdict.accepted) return verdict.accepted
    await dropWithdrawn(core, composed.id)
    await assertNotBehind(core, composed.group, { known: epochOfWire(composed), atRelay: verdict.epoch })
    await core.groups.untilEpoch(composed.group, verdict.epoch, deadline.leftMs())
    return undefined
  } catch (error) {
    if (isRefusal(error)) await dropWithdrawn(core, composed.id)
    else core.poke()
    if (!isCoded(error, 'group-unknown')) throw error
    await assertNotForgotten(core, submission)
    throw new CodedError('chat-left')
  } finally {
    core.sending.delete(composed.id)
    // From now on it is in doubt, if it still waits.
    core.store.touch(`waiting:${chat}`)
  }
}

const epochOfWire = ({ wire }: Composed): number => readEnvelopeHeader(wire).epoch

/** Nobody is removed from a private chat: where the relay knows nothing of it, it has forgotten it. */
async function assertNotForgotten(core: Submitting, { chat, composed }: Submission): Promise<void> {
  if (findChat(core.store, chat)?.type !== 'private') return
  await assertNotBehind(core, composed.group, { known: epochOfWire(composed), atRelay: undefined })
}

async function appendUntilAnswered(core: Submitting, { composed, draft, deadline }: Submission): Promise<Verdict> {
  const request = { payload: composed.wire, to: undefined, leave: draft.body.kind === 'leave' }
  for (let isRepeated = false; ; isRepeated = true) {
    // What was encrypted first goes out first: far behind its successors the others have no keys left for it. So on a
    // new connection nobody speaks before all is settled, and then in the order in which they began to wait.
    await onlineAgain(core, deadline)
    try {
      // Ahead of the message: whatever of it outlives this database, the relay knows how far it had come.
      core.link.acknowledge(progressOf(core.store))
      return await core.link.call('append', request, deadline.leftMs())
    } catch (error) {
      core.doubts.add(composed.id)
      if (isUnanswered(error)) continue
      // A fault of the relay's storage says nothing about an earlier try, whose answer was lost.
      throw isRepeated && isStorageFault(error) ? new CodedError('send-in-doubt', {}, { cause: error }) : error
    }
  }
}
