// What a decrypted content means: who the sender is, whether its chat is let in, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, decodeContent, type KnownBody } from '@postern/protocol/content'
import { type ChatRow, findChat, membersOf, showChat, viewChat } from '../chats/chats.ts'
import { noteRejoin } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { isInviteToken } from '../identity/account.ts'
import { findPerson, noteCameByLink, noteHello, noteWantedVersion, personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { Change } from '../storage/store.ts'
import { reportUnreported } from './accept-request.ts'
import { takeMark } from './compare-marks.ts'
import { noteGap } from './gaps.ts'
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

/** With how many messages of the same sender did not come before it. */
type Said = Received & { skipped: number }
type Understood = Said & { content: Content }

/** A message to this account alone: a receipt, a press, or the answer to one. */
export function receiveDirect(core: Core, received: Received): Change<void> {
  const body = decodeContent(received.plaintext)?.body
  const { chat, sender: from, ts } = received
  return database => {
    if (!isFirstTime(database, received) || !mayStillSpeak(core, database, received)) return
    if (body?.kind === 'receipt') {
      takeReceipt(core, database, { chat, from, deliveredTs: body.deliveredTs, readTs: body.readTs })
      for (const mark of body.marks ?? []) takeMark(core, database, { from, mark })
    }
    if (body?.kind === 'press' && findChat(database, chat)?.state === 'active')
      takePress(core, database, { chat, from, ts, body })
    if (body?.kind === 'toast') takeToast(core, database, { chat, from, ts, body })
  }
}

/** Nothing in it can be used up as a text uses up its key: the relay could send it again and again while its epoch lasts. */
const isFirstTime = (database: Database, { group, id }: Received): boolean =>
  database.run('INSERT OR IGNORE INTO taken_direct VALUES (?, ?)', group, id).changes === 1

/** The part of the inbox's transaction that is about the content. */
export function receiveContent(core: Core, received: Said): Change<void> {
  const content = decodeContent(received.plaintext)
  if (!content) {
    core.log.warn({ chat: received.chat }, 'a member sent content that cannot be read')
    return () => {}
  }
  const understood = { ...received, content }
  return database => {
    if (!mayStillSpeak(core, database, received)) return
    noteGap(core, database, { ...received, unsent: content.unsent })
    noteSender(core, database, understood)
    if (content.body.kind === 'rejoin' || content.body.kind === 'compare')
      return takeBetweenClients(core, database, { from: received, body: content.body })
    const chat = letIn(core, database, understood)
    const { id, sender, ts } = received
    if (chat) takeBody(core, database, { id, chat, sender, ts, send: content.send, body: content.body })
  }
}

/** Of two groups for a chat both are read: who was removed from the one in force must not go on speaking in the other. */
function mayStillSpeak(core: Core, database: Database, { chat, group, sender }: Received): boolean {
  const row = findChat(database, chat)
  if (!row || row.group_id === group) return true
  const isMember = membersOf(database, chat).some(member => member.account_id === sender)
  if (!isMember)
    core.log.warn({ chat, group, sender }, 'somebody who is not in the chat any more speaks in an old group')
  return isMember
}

type BetweenClients = { from: Received; body: Extract<KnownBody, { kind: 'rejoin' | 'compare' }> }

/** Nobody is shown a chat for it. Said to many at once, one word would set all of them to work. */
function takeBetweenClients(core: Core, database: Database, { from, body }: BetweenClients): void {
  if (findChat(database, from.chat)?.type !== 'private') return
  if (body.kind === 'rejoin') noteRejoin(core, database, { account: from.sender, group: body.group })
  else takeMark(core, database, { from: from.sender, mark: body })
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
function letIn(core: Core, database: Database, { chat, group, sender, ts }: Understood): ChatRow | undefined {
  const row = findChat(database, chat)
  const { inviter, asked } = findGroup(database, group) ?? {}
  if (!row || !inviter || (row.visible && row.state !== 'request')) return row
  // What this client opened by itself, to speak of a group with another client, lets nobody in.
  const stranger = inviter === core.own.id ? sender : inviter
  const isWelcome =
    row.state === 'active' ||
    core.acceptRequests === 'all' ||
    (core.acceptRequests === 'contacts' && asked === 0 && findPerson(database, stranger)?.by_link === 1)
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
