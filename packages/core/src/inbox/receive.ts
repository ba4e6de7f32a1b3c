// Interprets decrypted content: its sender, whether its chat is accepted, and the message itself.
import type { AccountId, ChatId, GroupId, MessageId } from '@postern/protocol'
import { type Content, receivedBody } from '@postern/protocol/content'
import { type ChatRow, findChat, isMember } from '../chats/records/chats.ts'
import { noteMemberWish } from '../chats/records/member-previews.ts'
import { isNewcomer } from '../chats/records/newcomers.ts'
import { contentMalformed, logUnreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { noteDirect } from '../groups/group-records.ts'
import { isInviteToken } from '../identity/account.ts'
import { findPerson, noteHello, noteWantedVersion } from '../identity/people.ts'
import { type UsedStartLink, useStartLink } from '../identity/start-links.ts'
import type { ContentEvent } from '../kinds/content-event.ts'
import type { ApplyContext } from '../kinds/kind.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { isMessage } from '../kinds/new-message.ts'
import { withPayload } from '../kinds/start.ts'
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
  /** Undefined: malformed. */
  content: Content | undefined
}

/**
 * `skipped`: the number of earlier messages of the sender that did not arrive. `farewell`: the proof of a farewell, if
 * it is one for the sender's leaf.
 */
type Counted = ReceivedContent & { skipped: number; farewell?: Uint8Array | undefined }
type Understood = Counted & { content: Content }

/** A message to this account alone: a receipt, a press, or the answer to one. */
export function receiveDirect(core: Receiving, received: ReceivedContent): DatabaseChange<void> {
  const { content } = received
  if (!content) logMalformed(core, received)
  return database => {
    const isFirst = noteDirect(database, received.group, received.id)
    const chat = findChat(database, received.chat)
    if (!content || !chat || !mayStillSpeak(core, database, { ...received, row: chat })) return
    const said = saidIn(chat, { ...received, content })
    const unheard = unheardIn(chat) ?? (chat.declined ? 'the chat was deleted' : undefined)
    if (unheard) logIgnored(core, said, unheard)
    else if (isFirst) applyContent(core, database, { ...said, way: 'to one member' })
    else logIgnored(core, said, 'received before')
  }
}

/** The part of the inbox's transaction that concerns the content. */
export function receiveContent(core: Receiving, received: Counted): DatabaseChange<void> {
  const { content } = received
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
    const link = row?.blocked ? undefined : shownLink(core, database, understood)
    if (!row?.blocked) noteSender(core, database, { ...understood, link })
    // A message, or a hello with the token of a link. An edit or a new name alone does not bring back a person who was
    // declined.
    const isNews = isMessage(content.body) || link !== undefined
    // Messages between clients do not make a chat visible.
    const chat = isUnseen ? row : showOrAdmit(core, database, { ...received, isNews })
    if (!chat) return
    const said = saidIn(chat, understood)
    if (chat.declined && !isUnseen) return logIgnored(core, said, 'the chat was deleted')
    const way = isUnseen ? 'between clients' : 'in the chat'
    const isStart = chat.type === 'private' && link !== undefined && link !== 'own'
    applyContent(core, database, { ...said, ...(isStart && { body: withPayload(said.body, link) }), way })
  }
}

const logMalformed = ({ log }: Pick<Core, 'log'>, { chat, group, id: message, sender }: ReceivedContent): void =>
  logUnreadable(log, { ...contentMalformed, chat, group, message, sender })

const saidIn = (
  chat: ChatRow,
  { id, group, sender, ts, content, farewell }: Omit<Understood, 'skipped'>,
): ContentEvent => ({
  id,
  chat,
  group,
  sender,
  ts,
  send: content.send,
  body: heardBody(content),
  ...(farewell && { farewell }),
})

/**
 * Nothing from a blocked person, or in a group that is being left, is kept or reported. The keys move on all the same.
 */
function unheardIn({ blocked, declined, type }: ChatRow): Reason | undefined {
  if (blocked) return 'the person is blocked'
  return declined && type === 'group' ? 'the group was declined' : undefined
}

/** `own`: the invite link of this account. A start link counts its person here. */
function shownLink(
  core: Receiving,
  database: Database,
  { sender, content: { hello } }: Understood,
): 'own' | UsedStartLink | undefined {
  const token = hello?.token
  if (token === undefined) return undefined
  return isInviteToken(database, token) ? 'own' : useStartLink(core, database, { token, account: sender })
}

/** Without the parts that the sender's own client should have left out. */
const heardBody = ({ body }: Content): Content['body'] => (body.kind === 'unknown' ? body : receivedBody(body))

type InChat = ReceivedContent & { row: ChatRow | undefined }

/**
 * If a chat has two groups, both are read:
 * a member removed from the one in force must not continue to speak in the other.
 */
function mayStillSpeak({ log }: Pick<Core, 'log'>, database: Database, { row, chat, group, sender }: InChat): boolean {
  if (!row || row.group_id === group || isMember(database, chat, sender)) return true
  if (isNewcomer(database, row.group_id, sender)) return true
  log.warn({ chat, group, sender }, 'message from a former member in an old group')
  return false
}

type Shown = Understood & { link: ReturnType<typeof shownLink> }

function noteSender(core: AdmitContext, database: Database, { chat, sender, content, link }: Shown): void {
  const { hello, profileVersion } = content
  if (hello) {
    noteHello(database, sender, { hello, version: profileVersion })
    noteMemberWish(database, chat, { account: sender, wanted: hello.previews === true })
  }
  if (link) admitByLink(core, database, sender)
  if (profileVersion > (findPerson(database, sender)?.profile_version ?? 0)) {
    noteWantedVersion(database, sender, profileVersion)
    core.wakeChores()
  }
}
