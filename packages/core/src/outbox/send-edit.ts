// Sends an edit: an edit of mentions or entities alone refers to the text that the others have.
import type { ChatId, Deadline } from '@postern/protocol'
import type { Core } from '../context.ts'
import { edit, isOfSpans, type MessageEdit } from '../kinds/edit.ts'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'
import { newDraft } from './compose.ts'
import { findEarlier } from './idempotency.ts'
import { sendContent } from './send-content.ts'

type EditSend = { asked: MessageEdit; deadline: Deadline; idempotency?: Idempotency }

/** Sends nothing when it would change nothing. */
export async function sendEdit(core: Core, chat: ChatId, { asked, deadline, idempotency }: EditSend): Promise<void> {
  // An edit that was in doubt is settled by then, so the text is the one that the others have.
  if (isOfSpans(asked) || idempotency) await core.link.whenOnline(deadline.leftMs())
  const earlier = idempotency && (await findEarlier(core, chat, { given: idempotency, deadline }))
  // Sent again, it would undo later edits.
  if (earlier?.kind === 'sent') return
  edit.check(core, chat, asked)
  const body = edit.body(core, chat, asked)
  if (!body) return
  const draft = {
    ...newDraft(core, body),
    body: () => {
      edit.check(core, chat, asked)
      return edit.body(core, chat, asked)
    },
    ...(earlier && { send: earlier.send }),
    ...(idempotency && { idempotency }),
  }
  await sendContent(core, chat, { draft, deadline })
}
