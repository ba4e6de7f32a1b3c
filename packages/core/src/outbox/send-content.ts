// Sends content: until the relay has answered, every try sends the same bytes.
// If the group has moved on, it is encrypted again.
import { isGuessable } from '@postern/mls'
import { type ChatId, CodedError, type Deadline, faultFields, type GroupId, isCoded } from '@postern/protocol'
import { type AcceptedEntry, type RelayVerdict, readEnvelopeHeader } from '@postern/protocol/relay'
import { removeLeavers } from '../chats/members/remove-leavers.ts'
import { removeReturned } from '../chats/members/remove-returned.ts'
import { needsRepair, repairRosters } from '../chats/members/repair-rosters.ts'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { type CommitPlanner, commitToGroup, settlePending } from '../groups/commit-group.ts'
import { findGroup, needsNewKeys, type StoredGroup } from '../groups/group-records.ts'
import { assertNotBehind, assertNotForgotten, type BehindContext } from '../groups/relay-behind.ts'
import { progressOf } from '../journal/progress.ts'
import type { MessageKind } from '../kinds/new-message.ts'
import type { ShownMessage } from '../messages/messages.ts'
import { appendMarked } from '../relay-link/append-marked.ts'
import { isRefusal, isStorageFault, isUnanswered, onlineAgain } from '../relay-link/relay-answers.ts'
import { type ComposedMessage, type ContentDraft, composeMessage } from './compose.ts'
import { dropWithdrawn, placeOwn, type SettleContext, settleAccepted } from './settle.ts'
import { writableChat } from './writable-chat.ts'

type ContentSend = { draft: ContentDraft; deadline: Deadline }

/** Resolves when the relay has it durably. Content that is no message (a hello, a leave) has no row. */
export async function sendContent(core: Core, chat: ChatId, send: ContentSend): Promise<ShownMessage | undefined> {
  for (;;) {
    const { group_id: group } = writableChat(core, chat, send.draft)
    const composed = await composeInSlot(core, { chat, group }, send)
    if (composed === 'needless') return undefined
    const accepted = composed !== 'moved' && (await submit(core, { chat, composed, ...send }))
    if (accepted) return await settleOwn(core, { chat, composed, draft: send.draft }, accepted)
  }
}

type Own = { chat: ChatId; composed: ComposedMessage; draft: ContentDraft }

async function settleOwn(
  core: SettleContext & Pick<Core, 'wakeChores'>,
  { chat, composed: { id, group, body, waiting }, draft }: Own,
  accepted: AcceptedEntry,
): Promise<ShownMessage | undefined> {
  const ts = placeOwn(core, group, accepted)
  try {
    return await settleAccepted(core, { message: id, ts, hasKey: draft.idempotency !== undefined, waiting })
  } catch (error) {
    core.doubts.add(id)
    core.wakeChores()
    // The next reader would see the earlier state: an edit that is answered with the old text would seem to be lost.
    if (!isMessageBody(body)) throw new CodedError('send-in-doubt', {}, { cause: error })
    // The others have it, and our disk is full: it is sent, and the outbox settles it when there is space.
    core.log.warn({ ...faultFields(error), chat, message: id }, 'sent message not recorded yet')
    return unwritten({ id, chat_id: chat, sender: core.own.id, ts }, body)
  }
}

type MessageBody = Extract<ComposedMessage['body'], { kind: MessageKind }>

const isMessageBody = (body: ComposedMessage['body']): body is MessageBody =>
  body.kind === 'text' || body.kind === 'file' || body.kind === 'poll'

/** The future row of the message. */
const unwritten = (row: Pick<ShownMessage, 'id' | 'chat_id' | 'sender' | 'ts'>, body: MessageBody): ShownMessage => ({
  ...row,
  body: JSON.stringify(body),
  edited_ts: null,
  expires_ts: body.timerMs ? row.ts + body.timerMs : null,
})

type Where = { chat: ChatId; group: GroupId }

type Attempt = ComposedMessage | 'moved' | 'needless'

/** A composed message keeps its slot until it is settled. */
async function composeInSlot(core: Core, where: Where, send: ContentSend): Promise<Attempt> {
  await core.sendSlots.reserve(where.group, send.deadline.leftMs())
  let outcome: Attempt | undefined
  try {
    outcome = await composeWhenReady(core, where, send)
    return outcome
  } catch (error) {
    // The commit before it is in doubt; the message itself was not encrypted, so it was not sent.
    throw isCoded(error, 'send-in-doubt') ? new CodedError('relay-unreachable', {}, { cause: error }) : error
  } finally {
    if (typeof outcome !== 'object') core.sendSlots.release(where.group)
  }
}

async function composeWhenReady(core: Core, where: Where, { draft, deadline }: ContentSend): Promise<Attempt> {
  for (;;) {
    await core.link.whenOnline(deadline.leftMs())
    if (writableChat(core, where.chat, draft).group_id !== where.group) return 'moved'
    await tidyGroup(core, where, deadline)
    const composed = await composeMessage(core, { ...where, draft })
    if (composed === 'busy') await settlePending(core, where.group, deadline)
    else if (composed === 'guessable') await commitToGroup(core, where.group, { intent: freshSecret, deadline })
    else if (composed !== 'untidy') return composed
  }
}

/** Many senders may need it, but one commits for all. */
const freshSecret: CommitPlanner = session => (isGuessable(session) ? {} : 'satisfied')

/**
 * Before anything is sent: removes leavers and members that are in again without anybody's wish, and renews keys that others may know or that are too far ahead. The values
 * read here may be stale already: `composeMessage` reads them again in the lane.
 */
async function tidyGroup(core: Core, { chat, group }: Where, deadline: Deadline): Promise<void> {
  assertOpen(core, group)
  await removeLeavers(core, { chat, group }, deadline)
  await removeReturned(core, { chat, group }, deadline)
  // While the relay's list of members lacks a member, a message would never reach that member.
  if (needsRepair(core, group)) await repairRosters(core, group, deadline)
  // Many senders may find it due, but one renews the keys for all.
  const isDue = () => needsNewKeys(assertOpen(core, group))
  if (isDue()) await commitToGroup(core, group, { intent: () => (isDue() ? {} : 'satisfied'), deadline })
}

function assertOpen({ store }: Pick<Core, 'store'>, group: GroupId): StoredGroup {
  const row = findGroup(store, group)
  // The chores replace a broken group; until then nothing can be sent in it.
  if (row?.status !== 'open') throw new CodedError('chat-healing')
  return row
}

type Submitting = Pick<Core, 'sending' | 'doubts' | 'sendSlots'> & BehindContext
type Submission = ContentSend & { chat: ChatId; composed: ComposedMessage }

/** Undefined when the group had moved on and this client has caught up: encrypt it again then. */
async function submit(core: Submitting, submission: Submission): Promise<AcceptedEntry | undefined> {
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
    else core.wakeChores()
    if (!isCoded(error, 'group-unknown')) throw error
    await assertNotForgotten(core, composed.group, deadline)
    // Another caller may have found out the same before. The chat heals; only its log shows that it was left.
    throw new CodedError(findChat(core.store, chat)?.state === 'left' ? 'chat-left' : 'chat-healing')
  } finally {
    core.sending.delete(composed.id)
    // From now on it is in doubt, if it still waits.
    core.store.touch(`waiting:${chat}`)
  }
}

const epochOfWire = ({ wire }: ComposedMessage): number => readEnvelopeHeader(wire).epoch

async function appendUntilAnswered(core: Submitting, { composed, draft, deadline }: Submission): Promise<RelayVerdict> {
  const entry = { payload: composed.wire, to: undefined, leave: draft.kind === 'leave', mark: composed.mark }
  for (let isRepeated = false; ; isRepeated = true) {
    // The message that was encrypted first is sent first: the others have no keys left for one that comes far behind
    // its successors. So on a new connection nothing is sent before all is settled, and then in the order in which the
    // callers began to wait.
    await onlineAgain(core, deadline)
    try {
      // Before the message: whatever part of it survives this database, the relay knows its progress.
      core.link.acknowledge(progressOf(core.store))
      return await appendMarked(core.link, entry, deadline)
    } catch (error) {
      core.doubts.add(composed.id)
      if (isUnanswered(error)) continue
      // A fault of the relay's storage says nothing about an earlier try, whose answer was lost.
      throw isRepeated && isStorageFault(error) ? new CodedError('send-in-doubt', {}, { cause: error }) : error
    }
  }
}
