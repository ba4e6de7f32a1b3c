// A call: bots take none. A bot declines automatically, and both sides see that it did.
import type { KnownBody } from '@postern/protocol/content'
import { emitNotice } from '../chats/notices.ts'
import { personOf } from '../identity/people.ts'
import { ownProfile } from '../identity/profile.ts'
import { appendForPeople } from '../journal/journal.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'
import { assertActive } from './press.ts'

type CallState = Omit<Extract<KnownBody, { kind: 'call' }>, 'kind'>

export const call = {
  way: 'in the chat',
  check: (core, chat) => assertActive(core, chat),
  body: (_core, _chat, asked) => ({ kind: 'call', ...asked }),
  apply: (core, database, { chat, sender, ts, body }) => {
    if (sender === core.own.id) return applied
    if (chat.state !== 'active') return ignored('the chat is not active')
    const from = personOf(database, sender)
    const isBot = ownProfile(core.store).profile.bot
    if (!isBot) appendForPeople(core, database, { type: 'call', chat_id: chat.id, call: { from, state: body.state } })
    const isDeclined = body.state === 'declined' || isBot
    if (isDeclined) emitNotice(core, database, { chat: chat.id, notice: { code: 'call_declined', from }, ts })
    if (body.state === 'ringing' && isBot) core.decline({ chat: chat.id, call: body.call })
    return applied
  },
} satisfies Kind<'call', CallState>
