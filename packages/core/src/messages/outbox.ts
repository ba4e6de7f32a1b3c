// What waits for the relay's word: each ciphertext stays until it is known to be in the log, or known not to be.
import type { ChatId, GroupId, MessageId, SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { Accepted } from '@postern/protocol/relay'
import { findChat } from '../chats/chats.ts'
import { noteSent } from '../chats/sent-keys.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import type { MessageRow } from './messages.ts'
import { takeBody } from './take-body.ts'

type OutboxRow = { message_id: MessageId; group_id: GroupId; chat_id: ChatId; send_id: SendId; body: string }

/** Recorded only: should the power fail now, the outbox still has it, and the relay is asked again. */
export async function settleAccepted(
  core: Core,
  message: MessageId,
  accepted: Accepted,
): Promise<MessageRow | undefined> {
  return await core.store.write(database => {
    const row = database.get<OutboxRow>('SELECT * FROM outbox WHERE message_id = ?', message)
    // Settled already, by the look at the outbox with which a connection begins.
    if (!row) return database.get<MessageRow>('SELECT * FROM message WHERE id = ?', message)
    database.run('DELETE FROM outbox WHERE message_id = ?', message)
    return takeOwn(core, database, { row, ts: accepted.ts })
  }, 'recorded')
}

/** It is in no log: the relay refused it, or never saw it. */
export async function dropWithdrawn(core: Core, message: MessageId): Promise<void> {
  await core.store.write(database => {
    const row = database.get<OutboxRow>('SELECT * FROM outbox WHERE message_id = ?', message)
    if (!row) return
    database.run('DELETE FROM outbox WHERE message_id = ?', message)
    database.run('UPDATE mls_group SET withdrawn = withdrawn + 1 WHERE id = ?', row.group_id)
  })
}

/**
 * What became of the messages whose answer was lost. On a new connection this comes before anything is delivered: others
 * may have reacted already to a message that is not in the history here. Who still waits for an answer sends again.
 */
export async function settleInDoubt(core: Core): Promise<void> {
  const rows = core.store.all<OutboxRow>('SELECT * FROM outbox')
  const asked = rows.map(async ({ group_id: group, message_id: message }) => {
    // Looked up before the relay is asked: what nobody sends now, nobody will send again.
    const isGivenUp = !core.sending.has(message)
    return { message, isGivenUp, accepted: (await core.link.call('outcome', { group, message })).accepted }
  })
  const verdicts = await Promise.all(asked)
  verdicts.sort((one, other) => (one.accepted?.ts ?? 0) - (other.accepted?.ts ?? 0))
  for (const { message, isGivenUp, accepted } of verdicts) {
    if (accepted) await settleAccepted(core, message, accepted)
    else if (isGivenUp) await dropWithdrawn(core, message)
  }
}

/** What we have said has its place in the log: it is applied here as it is at the others. */
function takeOwn(core: Core, database: Database, { row, ts }: { row: OutboxRow; ts: number }): MessageRow | undefined {
  const body = JSON.parse(row.body) as Content['body']
  database.run('UPDATE mls_group SET needs_hello = 0 WHERE id = ? AND needs_hello <> 0', row.group_id)
  noteSent(database, row.send_id, { id: row.message_id, ts })
  const chat = findChat(database, row.chat_id)
  return (
    chat && takeBody(core, database, { id: row.message_id, chat, sender: core.own.id, ts, send: row.send_id, body })
  )
}
