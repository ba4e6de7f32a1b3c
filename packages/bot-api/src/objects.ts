// The objects of the HTTP API: one schema each, from which types, validation and documents derive.
import { contentLimits, entityTypes } from '@postern/protocol'
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
  new_people_left: z
    .int()
    .optional()
    .describe(
      'How many people that it does not know the bot may still write to today (UTC), as its relay counts them. Absent while the relay does not say it.',
    ),
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

/** The profile of a person. */
export const personProfile = person.extend({
  about: z.string().describe('Empty if the person has written nothing, or it has not arrived yet.'),
  bot: z.boolean().describe('Whether the account is marked as a bot.'),
  avatar: z
    .string()
    .optional()
    .describe('The picture: a data: URL of a JPEG, PNG or WebP file. Absent if there is none.'),
})
export type PersonProfile = z.infer<typeof personProfile>

export const safetyNumber = z.object({
  account: accountId,
  number: z
    .string()
    .describe('Twelve groups of five digits: both sides see the same, unless somebody intercepts the chat.'),
  qr: z.string().describe('The same as the content of a QR code: equal on both sides.'),
  verified: z.boolean().describe('Whether the operator of the bot has noted that both numbers were compared.'),
})
export type SafetyNumberAnswer = z.infer<typeof safetyNumber>

export const mention = z.object({
  user: accountId,
  offset: z.int().describe('In UTF-16 code units.'),
  length: z.int().describe('In UTF-16 code units.'),
})

export const entity = z.object({
  type: z.enum(entityTypes),
  offset: z.int().describe('In UTF-16 code units.'),
  length: z.int().describe('In UTF-16 code units.'),
  url: z.string().optional().describe('Of a `link`: an http or https address.'),
  lang: z.string().optional().describe('Of a `pre`: the language of the code.'),
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

/** The link by which the sender of a `/start` came. */
export const usedInvite = z
  .object({ id: z.string(), payload: z.string() })
  .describe(
    'The sender pressed *Start* at this link of the bot, which was neither revoked, nor expired, nor used up. Absent for a text that somebody has typed.',
  )

export const message = z.object({
  id: messageId,
  chat_id: chatId,
  from: person,
  ts: z.int().describe("The relay's time of acceptance, strictly rising within a chat."),
  text: z.string().optional().describe('The text, or the caption of a file.'),
  reply_to: messageId.optional(),
  mentions: z.array(mention).optional(),
  entities: z
    .array(entity)
    .optional()
    .describe('The formatting of the text, which is without marks: from outside to inside, in the order of the text.'),
  buttons: z.array(z.array(button)).optional(),
  silent: z.boolean().optional().describe('True if the sender wants nobody to be notified, absent for others.'),
  forwarded: z
    .boolean()
    .optional()
    .describe('True if the sender passes on a message of another chat, absent for others. It does not say whose.'),
  invite: usedInvite.optional(),
  file: file.optional(),
  album: z
    .string()
    .optional()
    .describe(
      `The id of the album that the file belongs to: the same for the files that one sender has sent together, at most ${contentLimits.albumFilesMax}.`,
    ),
  poll: poll.optional(),
  reactions: z.array(reaction).optional(),
  edited_ts: z.int().optional(),
  expires_ts: z.int().optional().describe('When a disappearing message is erased; set once its countdown has started.'),
  status: z.enum(['sent', 'delivered', 'read']).optional().describe("The bot's own messages only."),
})
export type Message = z.infer<typeof message>

export const apiError = z.object({
  error: z.string(),
  code: z.enum(['unauthorized', 'forbidden', 'bad_request', 'not_found', 'webhook', 'gone', 'unavailable', 'internal']),
})
export type ApiError = z.infer<typeof apiError>
export type ApiErrorCode = ApiError['code']

/** The status of webhook delivery. */
export const webhookStatus = z.object({
  enabled: z.boolean().describe('Whether a webhook is set, by WEBHOOK_URL or over the API.'),
  paused: z.boolean().optional().describe('True while delivery is paused, absent otherwise.'),
  pending: z.int().describe('Updates that wait to be delivered or polled.'),
  last_attempt_ts: z.int().optional(),
  last_error: z.string().optional().describe('The error of the last failed attempt.'),
  last_error_ts: z.int().optional(),
  next_attempt_ts: z.int().optional().describe('Set while a failed update waits for its next attempt.'),
})
export type WebhookStatus = z.infer<typeof webhookStatus>

/** A cursor on the updates under a name of its own. */
export const reader = z.object({
  name: z.string(),
  offset: z.int().describe('Updates with a smaller id are confirmed.'),
  pending: z.int().describe('Updates that wait for this reader.'),
  dropped: z
    .int()
    .describe('Updates that were lost since this reader last confirmed one, because it did not confirm them in time.'),
  types: z.array(z.string()).optional().describe('The types that it last asked for; absent: all.'),
  token: z
    .string()
    .optional()
    .describe('The id of the token that has this reader for itself, because it is limited to chats.'),
})
export type UpdateReader = z.infer<typeof reader>
