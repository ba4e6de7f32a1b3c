// A change of the bot's own message. What is absent stays as it is.
import type { Client } from '@postern/core'
import { type ChatId, CodedError, gatewayLimits, type MessageId } from '@postern/protocol'
import type { MessageEdit } from '@postern/protocol/bot-api'
import type { Message } from '@postern/protocol/objects'

type Editing = { chat: ChatId; message: MessageId; edit: MessageEdit }

export async function editMessage(client: Client, { chat, message, edit }: Editing): Promise<Message> {
  const { text, mentions } = edit
  if (text !== undefined) {
    const within = { deadlineMs: gatewayLimits.sendWithinMs }
    return await client.editText(chat, { message, text, ...(mentions && { mentions }) }, within)
  }
  const asItIs = client.message(chat, message)
  if (asItIs.from.id !== client.account) throw new CodedError('not-own-message')
  return asItIs
}
