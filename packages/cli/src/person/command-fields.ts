// What a scripted person can be told to do, one JSON line each: the fields of every command of `postern person`.
import {
  accountField,
  characters,
  chatInPath as chat,
  chosenOptions,
  emoji,
  fileKinds,
  keeps,
  mentions,
  mentionsAreInText,
  messageInPath as message,
  optional,
  optionalMessageId,
  pollFields,
  shownName,
  textMessageFields,
} from '@postern/bot-api'
import { captionRange, contentLimits, gatewayLimits, HALF_RULE, TIMER_RULE, timerFault } from '@postern/protocol'
import { z } from 'zod'

const groupName = shownName(contentLimits.groupNameCharsMax)
const members = z
  .array(accountField, 'an array of account ids is required')
  .max(contentLimits.groupMembersMax, `at most ${contentLimits.groupMembersMax} are allowed`)
const timeRule = 'a time in milliseconds is required'
const pageRule = `a whole number from 1 to ${gatewayLimits.messagesPageMax} is required`

const time = z.int(timeRule).min(0, timeRule)
const pageLimit = z
  .int(pageRule)
  .min(1, pageRule)
  .max(gatewayLimits.messagesPageMax, pageRule)
  .default(gatewayLimits.messagesPageDefault)

const textOrNone = characters(captionRange)
const path = z
  .string('a path is required')
  .min(1, 'a path is required')
  .refine(value => value.isWellFormed(), { error: HALF_RULE })

const open = z
  .object({
    invite: z.string('an invite link is required').optional(),
    account: accountField.optional(),
    text: textMessageFields.text.optional(),
  })
  .refine(({ invite, account }) => (invite === undefined) !== (account === undefined), {
    path: ['invite'],
    error: 'either an invite or an account is required',
  })

export const commandFields = {
  me: z.object({}),
  /** A new invite link; older ones let nobody in any more. */
  invite: z.object({}),
  open,
  profile: z.object({ account: accountField }),
  /** What both compare; with a mark, what came of it is remembered. */
  verify: z.object({
    account: accountField,
    mark: optional(z.enum(['verified', 'unverified'], 'verified or unverified is required')),
  }),
  chats: z.object({}),
  messages: z.object({
    chat,
    before: time.optional(),
    limit: pageLimit,
  }),
  /** Messages and notices. */
  history: z.object({ chat, before: time.optional(), limit: pageLimit }),
  send: z.object({ chat, ...textMessageFields }).superRefine(mentionsAreInText),
  /** A path is one of the machine on which the person runs. */
  file: z.object({
    chat,
    path,
    caption: optional(textOrNone),
    kind: optional(z.enum(fileKinds, 'photo, video, voice or file is required')),
    reply_to: optionalMessageId,
  }),
  download: z.object({ chat, message, path }),
  /** Only a caption may become empty. */
  edit: z.object({ chat, message, text: textOrNone, mentions }).superRefine(mentionsAreInText),
  delete: z.object({ chat, message, for: z.enum(['all', 'me'], 'all or me is required').default('all') }),
  /** An emoji of "" takes a reaction back. */
  react: z.object({ chat, message, emoji: z.union([z.literal(''), emoji], 'one emoji is required') }),
  poll: z.object({ chat, ...pollFields }),
  /** No options take the vote back. */
  vote: z.object({ chat, message, options: chosenOptions }),
  close: z.object({ chat, message }),
  press: z.object({ chat, message, data: z.string('the data of a button is required') }),
  read: z.object({ chat, up_to: optionalMessageId }),
  timer: z.object({ chat, ms: z.int(TIMER_RULE).superRefine(keeps(timerFault)) }),
  call: z.object({ chat }),
  group: z.object({ name: groupName, members }),
  add: z.object({ chat, members }),
  remove: z.object({ chat, members }),
  rename: z.object({ chat, name: groupName }),
  /** Who may remove people. */
  admin: z.object({ chat, account: accountField, role: z.enum(['admin', 'member'], 'admin or member is required') }),
  leave: z.object({ chat }),
  accept: z.object({ chat }),
  decline: z.object({ chat }),
  /** Who is blocked. */
  blocked: z.object({}),
  block: z.object({ account: accountField }),
  unblock: z.object({ account: accountField }),
} as const satisfies Record<string, z.ZodType>

export type CommandName = keyof typeof commandFields
export type FieldsOf<Name extends CommandName> = z.infer<(typeof commandFields)[Name]>

/** A line: the answer carries its id, whatever that is. */
export const commandLine = z.looseObject(
  {
    id: z.unknown().optional(),
    do: z.enum(Object.keys(commandFields) as [CommandName, ...CommandName[]], {
      error: `one of ${Object.keys(commandFields).join(', ')} is required`,
    }),
  },
  'a JSON object is required',
)
export type CommandLine = z.infer<typeof commandLine>
