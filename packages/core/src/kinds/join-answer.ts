// An admin's answer to a request for a place in a group, sent in private to the account that asked.
import { noteAskDeclined } from '../chats/records/asked-joins.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const joinAnswer = {
  way: 'between clients',
  body: (_core, _chat, { token }) => ({ kind: 'join-answer', token, outcome: 'declined' }),
  apply: (_core, database, { chat, sender, body: { token } }) => {
    if (chat.type !== 'private') return ignored('not a private chat')
    // Only the account that was asked can answer.
    return noteAskDeclined(database, { account: sender, token }) ? applied : ignored('no such request')
  },
} satisfies Kind<'join-answer', { token: string }>
