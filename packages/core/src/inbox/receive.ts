// What a decrypted content means: who the sender is, whether its chat is let in, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, decodeContent, receivedBody } from '@postern/protocol/content'
import { type ChatRow, findChat, isMember } from '../chats/records/chats.ts'
import { isNewcomer } from '../chats/records/newcomers.ts'
import { contentMalformed, logUnreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { noteDirect } from '../groups/group-records.ts'
import { isInviteToken } from '../identity/account.ts'
import { findPerson, noteHello, noteWantedVersion } from '../identity/people.ts'
import type { ContentEvent } from '../kinds/content-event.ts'
import type { ApplyContext } from '../kinds/kind.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { noteGap } from '../messages/gaps.ts'
import type { Reason } from '../messages/outcome.ts'
import { type AdmitContext, admitByLink, showOrAdmit } from '../requests/admit-chat.ts'
import type { Database } from '../storage/database.ts'
import type { DatabaseChange } from '../storage/transactions/store.ts'
import { applyContent, logIgnored } from '../timeline/apply-content.ts'

type Receiving = ApplyContext & AdmitContext

export type ReceivedContent = {
  id: MessageId
  chat: ChatId
  group: GroupId
  sender: AccountId
  ts: number
  plaintext: Uint8Array
}

/** `skipped`: so many messages that its sender sent before it did not come. */
type Counted = ReceivedContent & { skipped: number }
type Understood = Counted & { content: Content }

/** A message to this account alone: a receipt, a press, or the answer to one. */
export function receiveDirect(core: Receiving, received: ReceivedContent): DatabaseChange<void> {
  const content = decodeContent(received.plaintext)
  if (!content) logMalformed(core, received)
  return database => {
    const isFirst = noteDirect(database, received.group, received.id)
    const chat = findChat(database, received.chat)
    if (!content || !chat || !mayStillSpeak(core, database, { ...received, row: chat })) return
    const said = saidIn(chat, { ...received, content })
    const unheard = unheardIn(chat)
    if (unheard) logIgnored(core, said, unheard)
    else if (isFirst) applyContent(core, database, { ...said, way: 'to one member' })
    else logIgnored(core, said, 'received before')
  }
}

/** The part of the inbox's transaction that is about the content. */
export function receiveContent(core: Receiving, received: Counted): DatabaseChange<void> {
  const content = decodeContent(received.plaintext)
  if (!content) {
    logMalformed(core, received)
    return () => {}
  }
  const understood = { ...received, content }
  return database => {
    const row = findChat(database, received.chat)
    if (!mayStillSpeak(core, database, { ...received, row })) return
    const isUnseen = isBetweenClients(content.body)
    const unheard = row && !isUnseen ? unheardIn(row) : undefined
    if (row && unheard) return logIgnored(core, saidIn(row, understood), unheard)
    noteGap(core, database, { ...received, unsent: content.unsent })
    noteSender(core, database, understood)
    // Nobody is shown a chat for what clients say to each other.
    const chat = isUnseen ? row : showOrAdmit(core, database, { ...received, isNews: isNews(database, content) })
    if (!chat) return
    const way = isUnseen ? 'between clients' : 'in the chat'
    applyContent(core, database, { ...saidIn(chat, understood), way })
  }
}

const logMalformed = ({ log }: Pick<Core, 'log'>, { chat, group, id: message, sender }: ReceivedContent): void =>
  logUnreadable(log, { ...contentMalformed, chat, group, message, sender })

const saidIn = (chat: ChatRow, { id, sender, ts, content }: Omit<Understood, 'skipped'>): ContentEvent => ({
  id,
  chat,
  sender,
  ts,
  send: content.send,
  body: heardBody(content),
})

/** Of whom is blocked, and of a group that is being left, nothing is kept and nobody is told; the keys go on all the same. */
function unheardIn({ blocked, declined, type }: ChatRow): Reason | undefined {
  if (blocked) return 'the person is blocked'
  return declined && type === 'group' ? 'the group was declined' : undefined
}

const newsKinds: ReadonlySet<string> = new Set<Content['body']['kind']>(['text', 'file', 'poll', 'unknown'])

/** A message, or a knock with the link: by an edit or a new name alone nobody who was declined comes back. */
const isNews = (database: Database, { body, hello }: Content): boolean =>
  newsKinds.has(body.kind) || (hello?.token !== undefined && isInviteToken(database, hello.token))

/** Without what its sender's own client should have left out. */
const heardBody = ({ body }: Content): Content['body'] => (body.kind === 'unknown' ? body : receivedBody(body))

type InChat = ReceivedContent & { row: ChatRow | undefined }

/** Of two groups for a chat both are read: a member removed from the one in force must not go on speaking in the other. */
function mayStillSpeak({ log }: Pick<Core, 'log'>, database: Database, { row, chat, group, sender }: InChat): boolean {
  if (!row || row.group_id === group || isMember(database, chat, sender)) return true
  if (isNewcomer(database, row.group_id, sender)) return true
  log.warn({ chat, group, sender }, 'message from a former member in an old group')
  return false
}

function noteSender(core: AdmitContext, database: Database, { sender, content }: Understood): void {
  const { hello, profileVersion } = content
  if (hello) noteHello(database, sender, { hello, version: profileVersion })
  if (hello?.token !== undefined && isInviteToken(database, hello.token)) admitByLink(core, database, sender)
  if (profileVersion > (findPerson(database, sender)?.profile_version ?? 0)) {
    noteWantedVersion(database, sender, profileVersion)
    core.wakeChores()
  }
}
