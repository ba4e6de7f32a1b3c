// A request for a place in a group, sent in private to the admin who made the link.
import { clientLimits } from '@postern/protocol'
import { findChat, isAdmin, isInUse, isStaying } from '../chats/records/chats.ts'
import { findLink } from '../chats/records/group-links.ts'
import { insertRequest, waitingRequests } from '../chats/records/join-requests.ts'
import { personOf } from '../identity/people.ts'
import { isBlocked } from '../identity/trust.ts'
import { appendEvent } from '../journal/journal.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

/** Nothing is ever answered here, so that a guess learns nothing: not even that there is such a group. */
export const joinAsk = {
  way: 'between clients',
  body: (_core, _chat, { token }) => ({ kind: 'join-ask', token }),
  apply: (core, database, { chat, sender, ts, body: { token } }) => {
    if (chat.type !== 'private') return ignored('not a private chat')
    if (isBlocked(database, sender)) return ignored('the person is blocked')
    const link = findLink(database, token)
    const group = link && findChat(database, link.chat_id)
    if (!isInUse(group)) return ignored('no such link')
    if (!isAdmin(database, group.id, core.own.id)) return ignored('not an admin')
    if (isStaying(database, group.id, sender)) return ignored('a member already')
    const waiting = waitingRequests(database, group.id)
    // By another link of the same group.
    if (waiting.some(({ account }) => account === sender)) return ignored('received before')
    if (waiting.length >= clientLimits.joinRequestsMax) return ignored('too many requests')
    if (!insertRequest(database, { token, account: sender, ts })) return ignored('received before')
    const from = personOf(database, sender)
    appendEvent(core, database, { type: 'join_request', chat_id: group.id, join_request: { from } })
    return applied
  },
} satisfies Kind<'join-ask', { token: string }>
