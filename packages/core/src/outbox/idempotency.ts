// One key, one send: a request that is repeated under its key finds the outcome of the first.
import type { Message } from '@postern/bot-api/objects'
import type { ChatId, Deadline, MessageId, SendId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { messageById } from '../messages/messages.ts'
import { findKey, type Idempotency } from '../storage/state/idempotency-keys.ts'
import { viewMessage } from '../timeline/view-message.ts'
import { isWaiting } from './outbox.ts'
import { settleInDoubt } from './settle.ts'

export type Earlier = { kind: 'sent'; message: Message } | { kind: 'unsent'; send: SendId }

/** Undefined when the key is new. A send in doubt is settled first, so the relay must be reachable. */
export async function findEarlier(
  core: Core,
  chat: ChatId,
  { given, deadline }: { given: Idempotency; deadline: Deadline },
): Promise<Earlier | undefined> {
  const row = findKey(core, given)
  if (!row) return undefined
  if (isWaiting(core.store, row.subject))
    await settleInDoubt(core, { isAsked: waiting => waiting.send_id === row.subject, deadline })
  const settled = findKey(core, given) ?? row
  if (settled.message_id === null || settled.ts === null) return { kind: 'unsent', send: row.subject as SendId }
  return { kind: 'sent', message: viewSent(core, chat, { id: settled.message_id, ts: settled.ts }) }
}

/** A message that was deleted since is not shown again, but it was sent. */
function viewSent(
  { store, own }: Pick<Core, 'store' | 'own'>,
  chat: ChatId,
  { id, ts }: { id: MessageId; ts: number },
): Message {
  const row = messageById(store, id)
  if (row) return viewMessage(store, row, own.id)
  return { id, chat_id: chat, from: personOf(store, own.id), ts, status: 'sent' }
}
