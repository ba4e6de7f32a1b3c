// Incoming hooks in requests and answers of the API.
import { z } from 'zod'
import { namedChat } from './field-rules.ts'
import { chatId } from './ids.ts'

const formats = ['alerts', 'pipeline', 'text'] as const

export const hookFormat = z.enum(formats, `must be ${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`)
export type HookFormat = z.infer<typeof hookFormat>

export const hook = z.object({
  id: z.string(),
  chat_id: chatId,
  format: hookFormat.describe('The format of its posts.'),
  ts: z.int().describe('When it was created.'),
})
export type Hook = z.infer<typeof hook>

export const createdHook = hook.extend({
  url: z
    .string()
    .describe('The address to post to. It contains the secret and is shown only here: the gateway stores a hash.'),
})
export type CreatedHook = z.infer<typeof createdHook>

export const newHook = z.object(
  {
    chat_id: namedChat.describe('A chat that the bot is a member of.'),
    format: hookFormat,
  },
  'must be a JSON object',
)
