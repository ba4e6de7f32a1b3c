// Deleting: for everyone by the sender alone, or only here.
import { type ChatId, CodedError, type MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { Database } from '../storage/database.ts'
import { countUnread, eraseMessage, findMessage, type MessageRow } from './messages.ts'
import type { SaidOf } from './said.ts'
import { tellAbout } from './tell-about.ts'

export function takeDelete(core: Core, database: Database, { chat, sender, ts, body }: SaidOf<'delete'>): void {
  const row = database.get<MessageRow>('SELECT * FROM message WHERE id = ? AND chat_id = ?', body.target, chat.id)
  if (!row || row.sender !== sender) return
  eraseMessage(database, row.id, sender === core.own.id ? 'everywhere' : 'here')
  countUnread(database, chat.id)
  // Here, for all ways that lead to it: also when somebody else deletes, or a deletion in doubt is settled.
  core.store.eraseTraces()
  core.poke()
  // Of what nobody was told, nobody is told that it is gone.
  if (sender !== core.own.id && row.reported)
    tellAbout(core, database, { chat, type: 'deleted', message: row.id, by: sender, ts })
}

/** Throws unless the message is this account's own. */
export function assertDeletable(core: Core, chat: ChatId, target: MessageId): void {
  visibleChat(core.store, chat)
  if (findMessage(core.store, chat, target).sender !== core.own.id) throw new CodedError('not-own-message')
}

/** Nobody else notices. */
export async function deleteHere(core: Core, chat: ChatId, target: MessageId): Promise<void> {
  visibleChat(core.store, chat)
  findMessage(core.store, chat, target)
  await core.store.write(database => {
    eraseMessage(database, target, 'here')
    countUnread(database, chat)
  })
  core.store.eraseTraces()
  core.poke()
}
