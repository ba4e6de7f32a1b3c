// Incoming hooks as callers see them and ask for them.
import { z } from 'zod'
import { namedChat } from './field-rules.ts'
import { chatId } from './ids.ts'

const formats = ['alerts', 'pipeline', 'text'] as const

export const hookFormat = z.enum(formats, `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)} is required`)
export type HookFormat = z.infer<typeof hookFormat>

export const hook = z.object({
  id: z.string(),
  chat_id: chatId,
  format: hookFormat.describe('What is posted to it.'),
  ts: z.int().describe('When it was made.'),
})
export type Hook = z.infer<typeof hook>

export const createdHook = hook.extend({
  url: z.string().describe('Where to post. It holds the secret and is shown only here: the gateway keeps a hash.'),
})
export type CreatedHook = z.infer<typeof createdHook>

export const newHook = z.object(
  {
    chat_id: namedChat.describe('A chat that the bot is in.'),
    format: hookFormat,
  },
  'a JSON object is required',
)
