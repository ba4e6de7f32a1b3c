// An edit on its way out: what it does not name stays, and mentions alone stand in the text as it is now.
import type { ChatId, Deadline } from '@postern/protocol'
import type { Core } from '../context.ts'
import { newDraft } from './compose.ts'
import { assertEditable, type MessageEdit } from './edit.ts'
import { bodyOf, findMessage } from './messages.ts'
import { sendDraft } from './send.ts'
import { assertMentions } from './text-rules.ts'

type Editing = { edit: MessageEdit; deadline: Deadline }

export async function editMessage(core: Core, chat: ChatId, { edit, deadline }: Editing): Promise<void> {
  const isOfMentions = edit.mentions !== undefined && edit.text === undefined
  // An edit that was in doubt is settled by then: the text is that which the others have.
  if (isOfMentions) await core.link.whenOnline(deadline.leftMs())
  assertEditable(core, chat, edit)
  const { message: target, text, mentions, buttons } = isOfMentions ? withStandingText(core, chat, edit) : edit
  if (text === undefined && buttons === undefined) return
  const changed = { ...(text !== undefined && { text }), ...(mentions && { mentions }), ...(buttons && { buttons }) }
  await sendDraft(core, chat, { draft: newDraft(core, { kind: 'edit', target, ...changed }), deadline })
}

function withStandingText(core: Core, chat: ChatId, { mentions = [], ...edit }: MessageEdit): MessageEdit {
  const body = bodyOf(findMessage(core.store, chat, edit.message))
  if (body.kind !== 'text' && body.kind !== 'file') return edit
  // Taking away what is not there is no edit, and nobody is told of one.
  if (mentions.length === 0 && (body.mentions ?? []).length === 0) return edit
  const text = body.text ?? ''
  assertMentions(text, mentions)
  return { ...edit, text, mentions }
}
