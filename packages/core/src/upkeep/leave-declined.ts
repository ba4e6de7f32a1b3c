// Leaves groups that were declined, so that nothing more comes from them.
import { type ChatId, type Deadline, isCoded } from '@postern/protocol'
import { setChatState } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { leave } from '../kinds/leave.ts'
import { newDraft } from '../outbox/compose.ts'
import { sendContent } from '../outbox/send-content.ts'

export async function leaveDeclined(core: Core, chat: ChatId, deadline: Deadline): Promise<void> {
  try {
    await sendContent(core, chat, { draft: newDraft(core, leave.body()), deadline })
  } catch (error) {
    if (!isCoded(error, 'chat-left')) throw error
    // The relay says that this account is no longer in it: it would answer the same forever.
    await core.store.write(database => setChatState(database, chat, 'left'))
  }
}
