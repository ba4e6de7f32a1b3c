// The objects of the HTTP API: one schema each, from which types, validation and documents derive.
import { z } from 'zod'

export const person = z.object({ id: z.string(), name: z.string() })
export type Person = z.infer<typeof person>

export const botCommand = z.object({
  name: z.string(),
  description: z.string(),
  args: z.string().optional(),
})

export const bot = z.object({
  id: z.string(),
  name: z.string(),
  invite_url: z.string(),
  about: z.string(),
  commands: z.array(botCommand),
})
export type Bot = z.infer<typeof bot>

export const chat = z.object({
  id: z.string().describe("A private chat: the other person's account id."),
  type: z.enum(['private', 'group']),
  name: z.string(),
  state: z.enum(['active', 'request', 'left']),
  members: z.array(person.extend({ bot: z.boolean(), admin: z.boolean().optional() })),
  timer_ms: z.int(),
  unread: z.int(),
  ts: z.int().describe('When the bot first saw the chat.'),
})
export type Chat = z.infer<typeof chat>

export const mention = z.object({
  user: z.string(),
  offset: z.int().describe('In UTF-16 code units.'),
  length: z.int().describe('In UTF-16 code units.'),
})

export const message = z.object({
  id: z.string(),
  chat_id: z.string(),
  from: person,
  ts: z.int(),
  text: z.string().optional(),
  reply_to: z.string().optional(),
  mentions: z.array(mention).optional(),
  status: z.enum(['sent', 'delivered', 'read']).optional(),
})
export type Message = z.infer<typeof message>

export const notice = z.looseObject({
  code: z.enum([
    'created',
    'joined',
    'left',
    'removed',
    'renamed',
    'timer',
    'call_declined',
    'undecryptable',
    'key_changed',
  ]),
  from: person.optional(),
  text: z.string().optional(),
})
export type Notice = z.infer<typeof notice>

const updateBase = { id: z.int(), chat_id: z.string() }
export const update = z.discriminatedUnion('type', [
  z.object({ ...updateBase, type: z.literal('message'), message }),
  z.object({ ...updateBase, type: z.literal('chat'), chat }),
  z.object({ ...updateBase, type: z.literal('notice'), notice }),
])
export type Update = z.infer<typeof update>

export const apiError = z.object({
  error: z.string(),
  code: z.enum(['unauthorized', 'bad_request', 'not_found', 'webhook', 'unavailable', 'internal']),
})
export type ApiError = z.infer<typeof apiError>
export type ApiErrorCode = ApiError['code']
