// A wish to be added to a group anew, of somebody whose keys to it are lost: said in private to another member.
import type { GroupId } from '@postern/protocol'
import { noteRejoin } from '../chats/records/rejoins.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const rejoin = {
  way: 'between clients',
  body: (_core, _chat, { group }) => ({ kind: 'rejoin', group }),
  apply: (core, database, { chat, sender, body }) => {
    // Said to many at once, one word would set all of them to work.
    if (chat.type !== 'private') return ignored('not a private chat')
    const isNoted = noteRejoin(core, database, { account: sender, group: body.group })
    return isNoted ? applied : ignored('no such member')
  },
} satisfies Kind<'rejoin', { group: GroupId }>
