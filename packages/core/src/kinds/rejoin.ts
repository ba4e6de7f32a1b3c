// A request to be added to a group again, from a member that has lost its keys: sent to another member in private.
import type { GroupId } from '@postern/protocol'
import { noteRejoin } from '../chats/records/rejoins.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const rejoin = {
  way: 'between clients',
  body: (_core, _chat, { group }) => ({ kind: 'rejoin', group }),
  apply: (core, database, { chat, sender, body }) => {
    // In a group, one message would set all members to work.
    if (chat.type !== 'private') return ignored('not a private chat')
    const isNoted = noteRejoin(core, database, { account: sender, group: body.group })
    return isNoted ? applied : ignored('no such member')
  },
} satisfies Kind<'rejoin', { group: GroupId }>
