// The body of a request that forwards or copies a message.
import { captionRange } from '@postern/protocol'
import { z } from 'zod'
import { buttons } from './button-rules.ts'
import { entities, format, formattingFits } from './entity-rules.ts'
import { characters, mentions, messageField, namedChat, optional, optionalMessageId, silent } from './field-rules.ts'

export const forwardedFrom = z.object(
  {
    chat_id: namedChat.describe('A chat of the bot.'),
    message_id: messageField.describe('A text or a file in that chat.'),
  },
  'must be an object with chat_id and message_id',
)

/** Mentions and formatting are positions in the caption of the request, never in that of the original. */
function wordsHaveCaption(asked: ForwardFields, context: z.RefinementCtx): void {
  const refuse = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
  if (asked.caption !== undefined) {
    if (asked.copy !== true) return refuse('caption', 'must be sent together with copy')
    return formattingFits(asked, context)
  }
  const alone = (['mentions', 'format', 'entities'] as const).find(field => asked[field] !== undefined)
  if (alone) refuse(alone, 'must be sent together with a caption')
}

const forwardFields = z.object(
  {
    from: forwardedFrom,
    copy: optional(z.boolean('must be true or false')).describe(
      'Sends the message as one of the bot’s own, without the mark `forwarded`; by default false.',
    ),
    caption: optional(characters(captionRange)).describe(
      'For a copy of a file: replaces its caption, and an empty one removes it.',
    ),
    mentions: mentions.describe('In the new caption, as for a text.'),
    format,
    entities,
    reply_to: optionalMessageId,
    silent,
    buttons,
  },
  'must be a JSON object',
)
type ForwardFields = z.infer<typeof forwardFields>

export const messageForward = forwardFields.superRefine(wordsHaveCaption)
export type MessageForward = z.infer<typeof messageForward>
