// What a decrypted content means: who the sender is, whether its chat is let in, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, decodeContent, type KnownBody, receivedBody } from '@postern/protocol/content'
import { findChat, membersOf } from '../chats/chats.ts'
import { noteRejoin } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { isInviteToken } from '../identity/account.ts'
import { findPerson, noteHello, noteWantedVersion } from '../identity/people.ts'
import type { Database } from '../storage/database.ts'
import type { Change } from '../storage/store.ts'
import { takeMark } from './compare-marks.ts'
import { noteGap } from './gaps.ts'
import { letInByLink, showOrLetIn } from './let-in.ts'
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
    const chat = showOrLetIn(core, database, received)
    const { id, sender, ts } = received
    if (chat) takeBody(core, database, { id, chat, sender, ts, send: content.send, body: bodyTaken(content) })
  }
}

/** What its sender's own client should have kept to. */
const bodyTaken = ({ body }: Content): Content['body'] => (body.kind === 'unknown' ? body : receivedBody(body))

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
  if (hello?.token !== undefined && isInviteToken(database, hello.token)) letInByLink(core, database, sender)
  if (profileVersion > (findPerson(database, sender)?.profile_version ?? 0)) {
    noteWantedVersion(database, sender, profileVersion)
    core.poke()
  }
}
