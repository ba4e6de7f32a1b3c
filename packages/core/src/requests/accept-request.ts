// Accepts a request: what was kept while it waited is reported, in order, and its person becomes a contact.
import { type ChatId, CodedError } from '@postern/protocol'
import { type ChatRow, otherPerson, setChatState, visibleChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { noteAccepted } from '../identity/people.ts'
import type { Database } from '../storage/database.ts'
import { type AdmitContext, admitChatsOf } from './admit-chat.ts'
import { reportHeld } from './report-held.ts'

/** Accepting an accepted chat changes nothing. */
export async function acceptRequest(core: AdmitContext & Pick<Core, 'store'>, chat: ChatId): Promise<ChatRow> {
  if (visibleChat(core.store, chat).state === 'active') return visibleChat(core.store, chat)
  await core.store.write(database => {
    // Looked up in the transaction: a group that removes this account at this moment must not become active.
    const row = visibleChat(database, chat)
    if (row.state === 'left') throw new CodedError('chat-left')
    if (row.state === 'request') accept(core, database, row)
  })
  core.wakeChores()
  return visibleChat(core.store, chat)
}

function accept(core: AdmitContext, database: Database, row: ChatRow): void {
  setChatState(database, row.id, 'active')
  reportHeld(core, database, row.id)
  const person = otherPerson(row)
  if (!person) return
  noteAccepted(database, person)
  admitChatsOf(core, database, person)
}
