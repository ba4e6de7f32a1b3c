// What a decrypted content means: who the sender is, whether its chat is let in, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, decodeContent } from '@postern/protocol/content'
import { type ChatRow, findChat, noteLeaving, showChat, viewChat } from '../chats/chats.ts'
import { noteRejoin } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { findPerson, noteCameByLink, noteHello, noteWantedVersion, personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { Change } from '../storage/store.ts'
import { reportUnreported } from './accept-request.ts'
import { insertMessage, type MessageRow, viewMessage } from './messages.ts'

export type Received = {
  id: MessageId
  chat: ChatId
  group: GroupId
  sender: AccountId
  ts: number
  plaintext: Uint8Array
}

type Understood = Received & { content: Content }

/** The part of the inbox's transaction that is about the content. */
export function receiveContent(core: Core, received: Received): Change<void> {
  const content = decodeContent(received.plaintext)
  if (!content) {
    core.log.warn({ chat: received.chat }, 'a member sent content that cannot be read')
    return () => {}
  }
  const understood = { ...received, content }
  return database => {
    noteSender(core, database, understood)
    // Said between clients: nobody is shown a chat for it.
    if (content.body.kind === 'rejoin')
      return noteRejoin(core, database, { account: received.sender, group: content.body.group })
    const chat = letIn(core, database, understood)
    if (!chat) return
    takeBody(core, database, { chat, understood })
  }
}

function noteSender(core: Core, database: Database, { sender, content }: Understood): void {
  const { hello, profileVersion } = content
  if (hello) noteHello(database, sender, hello)
  if (hello?.token === core.own.inviteToken) noteCameByLink(database, sender)
  if (profileVersion > (findPerson(database, sender)?.profile_version ?? 0)) {
    noteWantedVersion(database, sender, profileVersion)
    core.poke()
  }
}

/** With its first content a chat is shown: as a request, or at once where the policy lets its opener in. */
function letIn(core: Core, database: Database, { chat, group, ts }: Understood): ChatRow | undefined {
  const row = findChat(database, chat)
  const inviter = findGroup(database, group)?.inviter
  if (!row || !inviter || (row.visible && row.state !== 'request')) return row
  const isWelcome =
    inviter === core.own.id ||
    core.acceptRequests === 'all' ||
    (core.acceptRequests === 'contacts' && findPerson(database, inviter)?.by_link === 1)
  if (row.visible && !isWelcome) return row
  showChat(database, chat, { state: isWelcome ? 'active' : 'request', ts: row.visible ? row.first_seen_ts : ts })
  const shown = findChat(database, chat)
  if (shown) appendEvent(database, { type: 'chat', chat_id: chat, chat: viewChat(database, shown) }, ts)
  if (isWelcome) {
    reportUnreported(database, chat, { own: core.own.id, ts })
    core.poke()
  }
  return shown
}

function takeBody(
  core: Core,
  database: Database,
  { chat, understood }: { chat: ChatRow; understood: Understood },
): void {
  const { content, id, sender, ts } = understood
  switch (content.body.kind) {
    case 'hello':
    case 'rejoin':
      return
    case 'leave':
      return takeLeave(database, chat, { account: sender, ts })
    case 'text':
    case 'unknown': {
      const body = JSON.stringify(content.body)
      const reported = chat.state === 'active' ? 1 : 0
      const row = insertMessage(database, { id, chat_id: chat.id, sender, ts, send_id: content.send, body, reported })
      if (row) takeMessage(core, database, row)
      return
    }
    default:
      content.body satisfies never
  }
}

function takeMessage(core: Core, database: Database, row: MessageRow): void {
  database.run('UPDATE chat SET unread = unread + 1 WHERE id = ?', row.chat_id)
  if (!row.reported) return
  const message = viewMessage(database, row, core.own.id)
  appendEvent(database, { type: 'message', chat_id: row.chat_id, message }, row.ts)
}

function takeLeave(database: Database, chat: ChatRow, { account, ts }: { account: AccountId; ts: number }): void {
  noteLeaving(database, chat.id, account)
  if (chat.state !== 'active') return
  const notice = { code: 'left' as const, from: personOf(database, account) }
  appendEvent(database, { type: 'notice', chat_id: chat.id, notice }, ts)
}
