// Decides who is accepted, by the policy or as a contact, and admits the chats that wait because of the same person.
import type { Notice } from '@postern/bot-api/events'
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import { emitNotice } from '../chats/notices.ts'
import { redeemAsked } from '../chats/records/asked-joins.ts'
import { type ChatRow, findChat, showChat, viewChat } from '../chats/records/chats.ts'
import { requestsFrom } from '../chats/records/chats-by-group.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { isContact, noteCameByLink, personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { reportHeld } from './report-held.ts'

export type AdmitContext = Pick<Core, 'own' | 'elapsed' | 'acceptRequests' | 'wakeChores'>

/** A person who showed the token of the invite link is a contact. */
export function admitByLink(core: AdmitContext, database: Database, account: AccountId): void {
  noteCameByLink(database, account)
  admitChatsOf(core, database, account)
}

/** `isNews`: more than a change of earlier content. */
type ContentFrom = { chat: ChatId; group: GroupId; sender: AccountId; ts: number; isNews: boolean }

/** Shows a chat with its first content: as a request, or as an active chat if the policy accepts its opener. */
export function showOrAdmit(
  core: AdmitContext,
  database: Database,
  { chat, group, sender, ts, isNews }: ContentFrom,
): ChatRow | undefined {
  const row = findChat(database, chat)
  const { inviter, asked } = findGroup(database, group) ?? {}
  if (!row || !inviter || (row.visible && row.state !== 'request')) return row
  // Declined or deleted by its owner: a change of earlier content does not bring it back.
  if (row.declined && !isNews) return row
  // A chat that this client opened to talk to another client about a group does not make its person accepted.
  const stranger = inviter === core.own.id ? sender : inviter
  const isWelcome =
    (row.type === 'group' && redeemAsked(database, { inviter, title: row.title })) ||
    row.state === 'active' ||
    core.acceptRequests === 'all' ||
    (core.acceptRequests === 'contacts' && asked === 0 && isContact(database, stranger))
  if (isWelcome) admit(core, database, { row, inviter, ts })
  else if (!row.visible) {
    showChat(database, chat, { state: 'request', ts })
    emitChat(core, database, chat)
  }
  return findChat(database, chat)
}

/**
 * Admits requests that wait because of somebody who is a contact now: the chats to which that account itself has
 * welcomed this one. A contact among the members of a stranger's group opens nothing, and the policy `ask` admits
 * nobody.
 */
export function admitChatsOf(core: AdmitContext, database: Database, account: AccountId): void {
  if (core.acceptRequests !== 'contacts') return
  for (const row of requestsFrom(database, account))
    admit(core, database, { row, inviter: account, ts: row.first_seen_ts })
}

type Opened = { row: ChatRow; inviter: AccountId; ts: number }

function admit(core: AdmitContext, database: Database, { row, inviter, ts }: Opened): void {
  showChat(database, row.id, { state: 'active', ts: row.visible ? row.first_seen_ts : ts })
  emitChat(core, database, row.id)
  if (row.type === 'group') {
    const notice: Notice = { code: 'created', from: personOf(database, inviter), text: row.title }
    // Before the content that opened the chat.
    emitNotice(core, database, { chat: row.id, notice, ts: ts - 1 })
  }
  reportHeld(core, database, row.id)
  core.wakeChores()
}

function emitChat(core: Pick<Core, 'elapsed'>, database: Database, chat: ChatId): void {
  const row = findChat(database, chat)
  if (row) appendEvent(core, database, { type: 'chat', chat_id: chat, chat: viewChat(database, row) })
}
