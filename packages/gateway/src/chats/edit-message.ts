// Edits the bot's own message. Absent fields stay unchanged.
import { formattedWords, type MessageEditRequest } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client } from '@postern/core'
import { type ChatId, gatewayLimits, type MessageId } from '@postern/protocol'
import { buttonsOf } from './buttons.ts'

type Editing = { chat: ChatId; message: MessageId; edit: MessageEditRequest }

export async function editMessage(client: Client, { chat, message, edit }: Editing): Promise<Message> {
  const { text, mentions, format, entities, buttons, ...others } = edit
  // A request field that is not passed on is a compile error.
  others satisfies Record<string, never>
  // Removing buttons from a message without buttons is not an edit: nobody must be notified of one.
  const isIdle = buttons?.length === 0 && client.messages.get(chat, message).buttons === undefined
  const changed = {
    message,
    ...(mentions && { mentions }),
    ...(entities && { entities }),
    ...(text !== undefined && formattedWords({ text, mentions, format, entities })),
    ...(buttons && !isIdle && { buttons: buttonsOf(buttons) }),
  }
  return await client.messages.edit(chat, changed, { timeoutMs: gatewayLimits.sendWithinMs })
}
