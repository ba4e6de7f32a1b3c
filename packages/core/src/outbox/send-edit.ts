// An edit on its way out: mentions alone stand in the text as the others have it.
import type { ChatId, Deadline } from '@postern/protocol'
import type { Core } from '../context.ts'
import { edit, isOfMentions, type MessageEdit } from '../kinds/edit.ts'
import { newDraft } from './compose.ts'
import { sendContent } from './send-content.ts'

type EditSend = { asked: MessageEdit; deadline: Deadline }

/** Sends nothing when it would change nothing. */
export async function sendEdit(core: Core, chat: ChatId, { asked, deadline }: EditSend): Promise<void> {
  // An edit that was in doubt is settled by then: the text is that which the others have.
  if (isOfMentions(asked)) await core.link.whenOnline(deadline.leftMs())
  edit.check(core, chat, asked)
  const body = edit.body(core, chat, asked)
  if (body) await sendContent(core, chat, { draft: newDraft(core, body), deadline })
}
