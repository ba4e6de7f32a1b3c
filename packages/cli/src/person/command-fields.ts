// The fields of every command of `postern person`, one JSON line each.
import {
  accountField,
  captionFits,
  characters,
  chatInPath as chat,
  chosenOptions,
  emoji,
  fileKinds,
  formatFields,
  formattingFits,
  keeps,
  mentions,
  messageInPath as message,
  optional,
  optionalMessageId,
  pollFields,
  questionFits,
  shownName,
  silent,
  textMessageFields,
} from '@postern/bot-api'
import { captionRange, contentLimits, gatewayLimits, HALF_RULE, TIMER_RULE, timerFault } from '@postern/protocol'
import { z } from 'zod'

const linkRule = 'must be a link to a group'
const token = z.string('must be the token of a link')

const groupName = shownName(contentLimits.groupNameCharsMax)
const members = z
  .array(accountField, 'must be an array of account ids')
  .max(contentLimits.groupMembersMax, `must have at most ${contentLimits.groupMembersMax} entries`)
const timeRule = 'must be a time in milliseconds'
const pageRule = `must be a whole number from 1 to ${gatewayLimits.messagesPageMax}`

const time = z.int(timeRule).min(0, timeRule)
const pageLimit = z
  .int(pageRule)
  .min(1, pageRule)
  .max(gatewayLimits.messagesPageMax, pageRule)
  .default(gatewayLimits.messagesPageDefault)

const textOrNone = characters(captionRange)
const path = z
  .string('must be a path')
  .min(1, 'must be a path')
  .refine(value => value.isWellFormed(), { error: HALF_RULE })

const open = z
  .object({
    invite: z.string('must be an invite link').optional(),
    account: accountField.optional(),
    text: textMessageFields.text.optional(),
  })
  .refine(({ invite, account }) => (invite === undefined) !== (account === undefined), {
    path: ['invite'],
    error: 'must have either an invite or an account',
  })

export const commandFields = {
  me: z.object({}),
  /** A new invite link; older ones stop working. */
  invite: z.object({}),
  /** At the relay, permanently; `confirm` is the account's own id. */
  'delete-account': z.object({ confirm: accountField }),
  /** A start link of a bot also sends `/start`. */
  open,
  profile: z.object({ account: accountField }),
  /** The safety number that both compare; with a mark, the result is stored. */
  verify: z.object({
    account: accountField,
    mark: optional(z.enum(['verified', 'unverified'], 'must be verified or unverified')),
  }),
  chats: z.object({}),
  messages: z.object({
    chat,
    before: time.optional(),
    limit: pageLimit,
  }),
  /** Messages and notices. */
  history: z.object({ chat, before: time.optional(), limit: pageLimit }),
  send: z.object({ chat, ...textMessageFields, ...formatFields }).superRefine(formattingFits),
  /** A path is one of the machine on which the person runs. */
  file: z
    .object({
      chat,
      path,
      caption: optional(textOrNone),
      kind: optional(z.enum(fileKinds, 'must be photo, video, voice or file')),
      reply_to: optionalMessageId,
      silent,
      mentions,
      ...formatFields,
    })
    .superRefine(captionFits),
  /** Files of this machine, shown together; the first has the caption. */
  album: z
    .object({
      chat,
      paths: z
        .array(path, 'must be an array of paths')
        .min(1, 'must have at least 1 entry')
        .max(contentLimits.albumFilesMax, `must have at most ${contentLimits.albumFilesMax} entries`),
      caption: optional(textOrNone),
      reply_to: optionalMessageId,
      silent,
      mentions,
      ...formatFields,
    })
    .superRefine(captionFits),
  download: z.object({ chat, message, path }),
  /** A text or a file, into another chat or the same one. */
  forward: z.object({ chat, message, to: chat, silent }),
  /** Only a caption may become empty. */
  edit: z.object({ chat, message, text: textOrNone, mentions, ...formatFields }).superRefine(formattingFits),
  delete: z.object({ chat, message, for: z.enum(['all', 'me'], 'must be all or me').default('all') }),
  /** An empty emoji withdraws a reaction. */
  react: z.object({ chat, message, emoji: z.union([z.literal(''), emoji], 'must be one emoji') }),
  poll: z.object({ chat, ...pollFields }).superRefine(questionFits),
  /** An empty list withdraws the vote. */
  vote: z.object({ chat, message, options: chosenOptions }),
  close: z.object({ chat, message }),
  press: z.object({ chat, message, data: z.string('must be the data of a button') }),
  read: z.object({ chat, up_to: optionalMessageId }),
  typing: z.object({ chat }),
  timer: z.object({ chat, ms: z.int(TIMER_RULE).superRefine(keeps(timerFault)) }),
  call: z.object({ chat }),
  group: z.object({ name: groupName, members }),
  add: z.object({ chat, members }),
  remove: z.object({ chat, members }),
  rename: z.object({ chat, name: groupName }),
  /** A path of null removes it. */
  picture: z.object({ chat, path: path.nullable() }),
  /** Admins may remove people. */
  admin: z.object({ chat, account: accountField, role: z.enum(['admin', 'member'], 'must be admin or member') }),
  /** A link to a group, of which this person is an admin. */
  link: z.object({ chat }),
  links: z.object({ chat }),
  revoke: z.object({ chat, token }),
  /** Asks the admin who made the link for a place in the group. */
  ask: z.object({ link: z.string(linkRule) }),
  asked: z.object({}),
  /** On this machine alone. */
  unask: z.object({ account: accountField, token }),
  /** The people who ask for a place in the group. */
  requests: z.object({ chat }),
  answer: z.object({ chat, account: accountField, with: z.enum(['add', 'decline'], 'must be add or decline') }),
  leave: z.object({ chat }),
  accept: z.object({ chat }),
  decline: z.object({ chat }),
  /** The list of blocked accounts. */
  blocked: z.object({}),
  block: z.object({ account: accountField }),
  unblock: z.object({ account: accountField }),
} as const satisfies Record<string, z.ZodType>

export type CommandName = keyof typeof commandFields
export type FieldsOf<Name extends CommandName> = z.infer<(typeof commandFields)[Name]>

/** A line: the answer carries its id, whatever its type. */
export const commandLine = z.looseObject(
  {
    id: z.unknown().optional(),
    do: z.enum(Object.keys(commandFields) as [CommandName, ...CommandName[]], {
      error: `must be one of ${Object.keys(commandFields).join(', ')}`,
    }),
  },
  'must be a JSON object',
)
export type CommandLine = z.infer<typeof commandLine>
