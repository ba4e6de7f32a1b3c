// A farewell: its sender's last message in a group. The next commit of a remaining member removes the sender.
import type { Notice } from '@postern/bot-api/events'
import { writableGroup } from '../chats/members/change-members.ts'
import { emitNotice, keepNotice } from '../chats/notices.ts'
import { findChat, isMember, setChatState, viewChat } from '../chats/records/chats.ts'
import { noteLeaving } from '../chats/records/farewells.ts'
import { forgetNewcomers } from '../chats/records/newcomers.ts'
import { noteFarewell } from '../chats/records/removals.ts'
import { dropPreviewKeys } from '../groups/preview-keys.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { applied, ignored } from '../messages/outcome.ts'
import type { Kind } from './kind.ts'

export const leave = {
  way: 'in the chat',
  check: (core, chat) => {
    writableGroup(core, chat)
  },
  body: () => ({ kind: 'leave' }),
  apply: (core, database, { chat, group, sender, ts, farewell }) => {
    // Nobody leaves a private chat: followed, it would leave a chat with nobody.
    if (chat.type !== 'group') return ignored('not a group')
    // Part of applying the farewell, so that one that was in doubt counts, too.
    const notice: Notice = { code: 'left', from: personOf(database, sender) }
    if (sender === core.own.id) {
      noteLeaving(database, chat.id, { account: sender })
      setChatState(database, chat.id, 'left')
      dropPreviewKeys(database, chat.group_id)
      keepNotice(database, { chat: chat.id, notice, ts })
      return applied
    }
    forgetNewcomers(database, chat.id, [sender])
    if (!isMember(database, chat.id, sender)) return ignored('no such member')
    if (!noteFarewell(database, { chat: chat.id, group, account: sender })) return ignored('a member again')
    if (!farewell || chat.group_id !== group) {
      // Only an admin can remove the member now. Nobody who still has the keys is hidden from the others.
      core.wakeChores()
      return ignored('no proof for this group')
    }
    noteLeaving(database, chat.id, { account: sender, farewell })
    const row = findChat(database, chat.id)
    if (!row || chat.state !== 'active') return ignored('the chat is not active')
    appendEvent(core, database, { type: 'chat', chat_id: chat.id, chat: viewChat(database, row) })
    emitNotice(core, database, { chat: chat.id, notice, ts })
    return applied
  },
} satisfies Kind<'leave', object>
