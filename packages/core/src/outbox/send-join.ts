// Asks an admin for a place in a group, and answers such requests. Both are sent in private, and open no chat.
import { type AccountId, type Deadline, isCoded, privateChatId } from '@postern/protocol'
import type { GroupLink, KnownBody } from '@postern/protocol/content'
import { ensureQuietChat } from '../chats/opening/open-chat.ts'
import { type AskedJoin, findAsked, noteAsking } from '../chats/records/asked-joins.ts'
import { type JoinRequest, noteJoinAnswered } from '../chats/records/join-requests.ts'
import type { Core } from '../context.ts'
import { findPerson, noteProfileKey } from '../identity/people.ts'
import { joinAnswer } from '../kinds/join-answer.ts'
import { joinAsk } from '../kinds/join-ask.ts'
import { newDraft } from './compose.ts'
import { sendContent } from './send-content.ts'

/** Resolves when the relay has the request. One that waits, or was declined, is not sent again. */
export async function askToJoin(core: Core, link: GroupLink, deadline: Deadline): Promise<AskedJoin> {
  const { account, token, title, profileKey } = link
  const before = findAsked(core.store, link)
  if (before) return before
  await core.link.whenOnline(deadline.leftMs())
  await ensureQuietChat(core, account, deadline)
  await core.store.write(database => {
    noteAsking(database, { account, token, title, ts: core.clock.nowMs() })
    // A key that is already known stays: a link with a wrong one must not hide a person's profile.
    if (!findPerson(database, account)?.profile_key) noteProfileKey(database, account, profileKey)
  })
  await send(core, account, { body: joinAsk.body(core, privateChatId(account), { token }), deadline })
  core.wakeChores()
  return { account, token, title, ts: core.clock.nowMs(), state: 'waiting', ...findAsked(core.store, link) }
}

/** Repeated after a kill, an answer changes nothing more. */
export async function sendAnswer(core: Core, due: JoinRequest, deadline: Deadline): Promise<void> {
  const { account, token } = due
  try {
    await ensureQuietChat(core, account, deadline)
    await send(core, account, { body: joinAnswer.body(core, privateChatId(account), { token }), deadline })
  } catch (error) {
    // Nothing can be written to this account, now or later.
    if (!isCoded(error, 'account-not-found', 'account-deleted', 'chat-is-request', 'chat-blocked')) throw error
  }
  await core.store.write(database => noteJoinAnswered(database, due))
}

async function send(
  core: Core,
  account: AccountId,
  { body, deadline }: { body: KnownBody; deadline: Deadline },
): Promise<void> {
  await sendContent(core, privateChatId(account), { draft: newDraft(core, body), deadline })
}
