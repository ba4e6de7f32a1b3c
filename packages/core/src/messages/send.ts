// Sending: until the relay has answered, every try sends the same bytes; when the group has moved on, the words go out anew.
import { type ChatId, CodedError, clientLimits, isCoded } from '@postern/protocol'
import type { Accepted, Verdict } from '@postern/protocol/relay'
import { removalOf } from '../chats/change-members.ts'
import { type ChatRow, findChat, leaversOf } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { Deadline } from '../deadline.ts'
import { commitToGroup, settlePending } from '../groups/commit-group.ts'
import { findGroup, type GroupRow } from '../groups/group-records.ts'
import { progressOf } from '../journal/progress.ts'
import { type Composed, composeMessage, type Draft } from './compose.ts'
import type { MessageRow } from './messages.ts'
import { dropWithdrawn, settleAccepted } from './outbox.ts'

/** Resolves when the relay has it durably. The row is absent for what is no message: a hello, a leave. */
export async function sendDraft(
  core: Core,
  chat: ChatId,
  { draft, deadline }: { draft: Draft; deadline: Deadline },
): Promise<MessageRow | undefined> {
  for (;;) {
    const row = writableChat(core, chat)
    const { group_id: group } = row
    await core.link.whenOnline(deadline.leftMs())
    await tidyGroup(core, row, deadline)
    const composed = await composeMessage(core, { chat, group, draft })
    if (composed === 'busy') {
      await settlePending(core, group, deadline)
      continue
    }
    const accepted = await submit(core, { composed, draft, deadline })
    if (accepted) return await settleAccepted(core, composed.id, accepted)
  }
}

function writableChat(core: Core, chat: ChatId): ChatRow {
  const row = findChat(core.store, chat)
  if (!row) throw new CodedError('chat-not-found', { chat })
  if (row.state === 'request') throw new CodedError('chat-is-request')
  if (row.state === 'left') throw new CodedError('chat-left')
  return row
}

/** Before anything is said: the removal of who left, and new keys where the old ones may be known. */
async function tidyGroup(core: Core, chat: ChatRow, deadline: Deadline): Promise<void> {
  const group = currentGroup(core, chat)
  const leavers = leaversOf(core.store, chat.id)
  if (leavers.length > 0) await commitToGroup(core, group.id, { intent: removalOf(leavers), deadline })
  if (group.needs_update || group.withdrawn >= clientLimits.withdrawnBeforeUpdate)
    await commitToGroup(core, group.id, { intent: () => ({}), deadline })
}

function currentGroup(core: Core, chat: ChatRow): GroupRow {
  const row = findGroup(core.store, chat.group_id)
  // A broken group is replaced by the chores; until then nothing can be said in it.
  if (row?.status !== 'open') throw new CodedError('relay-unreachable')
  return row
}

type Submission = { composed: Composed; draft: Draft; deadline: Deadline }

/** Undefined when the group had moved on and this client has caught up: then it is to be encrypted again. */
async function submit(core: Core, { composed, draft, deadline }: Submission): Promise<Accepted | undefined> {
  try {
    const verdict = await appendUntilAnswered(core, { composed, draft, deadline })
    if (verdict.accepted) return verdict.accepted
    await dropWithdrawn(core, composed.id)
    await core.groups.untilEpoch(composed.group, verdict.epoch, deadline.leftMs())
    return undefined
  } catch (error) {
    if (isFinal(error)) await dropWithdrawn(core, composed.id)
    else core.poke()
    throw isCoded(error, 'group-unknown') ? new CodedError('chat-left') : error
  } finally {
    core.sending.delete(composed.id)
  }
}

async function appendUntilAnswered(core: Core, { composed, draft, deadline }: Submission): Promise<Verdict> {
  const request = { payload: composed.wire, to: undefined, leave: draft.body.kind === 'leave' }
  for (;;) {
    await online(core, deadline)
    try {
      // Ahead of the message: whatever of it outlives this database, the relay knows how far it had come.
      core.link.acknowledge(progressOf(core.store))
      return await core.link.call('append', request, deadline.leftMs())
    } catch (error) {
      if (!isCoded(error, 'send-in-doubt', 'relay-unreachable', 'relay-stopping')) throw error
    }
  }
}

/**
 * What was encrypted first goes out first: far behind its successors the others have no keys left for it. So on a new
 * connection nobody speaks before all is settled, and then in the order in which they began to wait. From here on only
 * the relay's word can say that it does not have the bytes.
 */
async function online(core: Core, deadline: Deadline): Promise<void> {
  try {
    await core.link.whenOnline(deadline.leftMs())
  } catch {
    throw new CodedError('send-in-doubt')
  }
}

const isFinal = (error: unknown): boolean =>
  error instanceof CodedError && !['send-in-doubt', 'relay-unreachable', 'relay-stopping'].includes(error.code)
