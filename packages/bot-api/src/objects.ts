// The objects of the HTTP API: one schema each, from which types, validation and documents derive.
import { z } from 'zod'
import { accountId, chatId, messageId } from './ids.ts'

export const person = z.object({
  id: accountId,
  name: z.string(),
  bot: z
    .boolean()
    .optional()
    .describe(
      'True for an account that is marked as a bot, absent for others. The mark is in its profile, which may arrive a moment after its first message.',
    ),
})
export type Person = z.infer<typeof person>

export const botCommand = z.object({
  name: z.string(),
  description: z.string(),
  args: z.string().optional().describe('A hint for the input field. Without it, tapping the command sends it.'),
})

export const bot = z.object({
  id: accountId,
  name: z.string(),
  invite_url: z.string().describe('Opens a chat with the bot.'),
  about: z.string(),
  commands: z.array(botCommand),
})
export type Bot = z.infer<typeof bot>

export const member = person.extend({ bot: z.boolean(), admin: z.boolean().optional() })

export const chat = z.object({
  id: chatId.describe("A private chat: the other person's account id."),
  type: z.enum(['private', 'group']),
  name: z.string().describe("The person's name, or the group's title."),
  state: z
    .enum(['active', 'request', 'left'])
    .describe('`request`: waits to be accepted; `left`: the bot is no longer a member.'),
  members: z.array(member).describe('Including the bot.'),
  timer_ms: z.int().describe('How long messages are kept after they were read; 0: no limit.'),
  unread: z.int(),
  ts: z.int().describe('When the bot first saw the chat.'),
  blocked: z
    .boolean()
    .optional()
    .describe('The person is blocked: the bot receives nothing from them, and cannot write to them.'),
  verified: z.boolean().optional().describe('The safety number of this person was compared.'),
})
export type Chat = z.infer<typeof chat>

export const safetyNumber = z.object({
  account: accountId,
  number: z
    .string()
    .describe('Twelve groups of five digits: both sides see the same, unless somebody intercepts the chat.'),
  qr: z.string().describe('The same as the content of a QR code: equal on both sides.'),
})
export type SafetyNumberAnswer = z.infer<typeof safetyNumber>

export const mention = z.object({
  user: accountId,
  offset: z.int().describe('In UTF-16 code units.'),
  length: z.int().describe('In UTF-16 code units.'),
})

export const button = z
  .object({ text: z.string(), data: z.string().optional(), url: z.string().optional() })
  .describe('Has either `data`, which is sent back when it is pressed, or `url`.')

export const file = z.object({
  name: z.string(),
  size: z.int().describe('In bytes.'),
  type: z.string().describe('A media type.'),
  kind: z.enum(['photo', 'video', 'voice', 'file']),
  width: z.int().optional(),
  height: z.int().optional(),
  duration_ms: z.int().optional(),
  preview: z.string().optional().describe('A data: URL; photos only.'),
})
export type FileInfo = z.infer<typeof file>

export const pollOption = z.object({ text: z.string(), votes: z.int(), voters: z.array(person) })

export const poll = z.object({
  question: z.string(),
  multiple: z.boolean(),
  close_ts: z.int().optional().describe('When it closes automatically.'),
  closed: z.boolean(),
  options: z.array(pollOption),
  voted: z.array(z.int()).describe("The bot's own vote: indexes of options."),
})
export type Poll = z.infer<typeof poll>

export const reaction = z.object({ emoji: z.string(), from: person })

export const message = z.object({
  id: messageId,
  chat_id: chatId,
  from: person,
  ts: z.int().describe("The relay's time of acceptance, strictly rising within a chat."),
  text: z.string().optional().describe('The text, or the caption of a file.'),
  reply_to: messageId.optional(),
  mentions: z.array(mention).optional(),
  buttons: z.array(z.array(button)).optional(),
  file: file.optional(),
  poll: poll.optional(),
  reactions: z.array(reaction).optional(),
  edited_ts: z.int().optional(),
  expires_ts: z.int().optional().describe('When a disappearing message is erased; set once its countdown has started.'),
  status: z.enum(['sent', 'delivered', 'read']).optional().describe("The bot's own messages only."),
})
export type Message = z.infer<typeof message>

export const apiError = z.object({
  error: z.string(),
  code: z.enum(['unauthorized', 'bad_request', 'not_found', 'webhook', 'gone', 'unavailable', 'internal']),
})
export type ApiError = z.infer<typeof apiError>
export type ApiErrorCode = ApiError['code']

/** The status of webhook delivery. */
export const webhookStatus = z.object({
  enabled: z.boolean().describe('Whether WEBHOOK_URL is set.'),
  pending: z.int().describe('Updates that wait to be delivered or polled.'),
  last_attempt_ts: z.int().optional(),
  last_error: z.string().optional().describe('The error of the last failed attempt.'),
  last_error_ts: z.int().optional(),
  next_attempt_ts: z.int().optional().describe('Set while a failed update waits for its next attempt.'),
})
export type WebhookStatus = z.infer<typeof webhookStatus>
