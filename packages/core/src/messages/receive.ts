// What a decrypted content means: who the sender is, whether its chat is let in, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, decodeContent } from '@postern/protocol/content'
import { type ChatRow, findChat, showChat, viewChat } from '../chats/chats.ts'
import { noteRejoin } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { isInviteToken } from '../identity/account.ts'
import { findPerson, noteCameByLink, noteHello, noteWantedVersion, personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { Change } from '../storage/store.ts'
import { reportUnreported } from './accept-request.ts'
import { takePress, takeToast } from './presses.ts'
import { takeReceipt } from './receipts.ts'
import { takeBody } from './take-body.ts'

export type Received = {
  id: MessageId
  chat: ChatId
  group: GroupId
  sender: AccountId
  ts: number
  plaintext: Uint8Array
}

type Understood = Received & { content: Content }

/** A message to this account alone: a receipt, a press, or the answer to one. */
export function receiveDirect(core: Core, received: Received): Change<void> {
  const body = decodeContent(received.plaintext)?.body
  const { chat, sender: from, ts } = received
  return database => {
    if (body?.kind === 'receipt')
      takeReceipt(core, database, { chat, from, deliveredTs: body.deliveredTs, readTs: body.readTs })
    if (body?.kind === 'press' && findChat(database, chat)?.state === 'active')
      takePress(core, database, { chat, from, ts, body })
    if (body?.kind === 'toast') takeToast(core, database, { chat, from, ts, body })
  }
}

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
    const { id, sender, ts } = received
    if (chat) takeBody(core, database, { id, chat, sender, ts, send: content.send, body: content.body })
  }
}

function noteSender(core: Core, database: Database, { sender, content }: Understood): void {
  const { hello, profileVersion } = content
  if (hello) noteHello(database, sender, { hello, version: profileVersion })
  if (hello?.token !== undefined && isInviteToken(database, hello.token)) noteCameByLink(database, sender)
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
  if (shown) appendEvent(core, database, { type: 'chat', chat_id: chat, chat: viewChat(database, shown) })
  if (isWelcome) {
    if (row.type === 'group') {
      const notice = { code: 'created' as const, from: personOf(database, inviter), text: row.title }
      appendEvent(core, database, { type: 'notice', chat_id: chat, notice })
    }
    reportUnreported(core, database, chat)
    core.poke()
  }
  return shown
}
