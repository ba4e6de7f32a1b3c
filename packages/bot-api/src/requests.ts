// The bodies of requests, with the rules of every field.
import {
  aboutRange,
  captionRange,
  commandName,
  commandNameFault,
  commandsCountFault,
  contentLimits,
  gatewayLimits,
  optionsCountFault,
  TIMER_RULE,
  timerFault,
  toastRange,
} from '@postern/protocol'
import { z } from 'zod'
import { buttons } from './button-rules.ts'
import { entities, format, formattingFits } from './entity-rules.ts'
import {
  accountField,
  characters,
  emoji,
  keeps,
  mentions,
  mentionsAreInText,
  type newMention,
  optional,
  optionalMessageId,
  STRING,
  shownLine,
  shownName,
  shownText,
  silent,
  textMessageFields,
} from './field-rules.ts'

const OBJECT = 'must be a JSON object'

/** The formatting of a text, in a request and in a command of `postern person`. */
export const formatFields = { format, entities }

export const textMessage = z
  .object({ ...textMessageFields, ...formatFields, buttons }, OBJECT)
  .superRefine(formattingFits)
export type TextMessage = z.infer<typeof textMessage>

export const newDraft = z.object({ text: textMessageFields.text, format }, OBJECT)

/** Absent fields stay unchanged. */
export const messageEdit = z
  .object(
    {
      text: optional(characters(captionRange)).describe('Only a caption may be empty.'),
      mentions: mentions.describe(
        'Without a text, they apply to the current text, and [] removes them. A new text without mentions has none.',
      ),
      format,
      entities: entities.describe(
        'Without a text, they apply to the current text, and [] removes them. A new text without entities has none.',
      ),
      buttons,
    },
    OBJECT,
  )
  .superRefine(formattingFits)
export type MessageEditRequest = z.infer<typeof messageEdit>

/** Absent fields stay unchanged. */
export const botChange = z.object(
  {
    name: optional(shownName(contentLimits.nameCharsMax)),
    about: optional(characters(aboutRange)),
  },
  OBJECT,
)
export type BotChange = z.infer<typeof botChange>

export const newCommand = z.object(
  {
    name: z.string(STRING).superRefine(keeps(commandNameFault)).meta({ pattern: commandName.source }),
    description: optional(shownLine(contentLimits.commandDescriptionCharsMax)),
    args: optional(shownLine(contentLimits.commandArgsCharsMax)),
  },
  'must be an object with name, description and args',
)

export const botCommands = z
  .object(
    {
      commands: z
        .array(newCommand, 'must be an array')
        .superRefine(keeps(commandsCountFault))
        .meta({ maxItems: contentLimits.commandsMax }),
    },
    OBJECT,
  )
  .superRefine(({ commands }, context) => {
    const again = commands.findIndex(({ name }, at) => commands.findIndex(other => other.name === name) < at)
    if (again >= 0)
      context.addIssue({ code: 'custom', path: ['commands', again, 'name'], message: 'must not be repeated' })
  })
export type BotCommands = z.infer<typeof botCommands>

/** The creator is a member, too. */
const othersMax = contentLimits.groupMembersMax - 1

export const newGroup = z.object(
  {
    name: shownName(contentLimits.groupNameCharsMax),
    members: z
      .array(accountField, 'must be an array of account ids')
      .max(othersMax, `must have at most ${othersMax} entries`),
  },
  OBJECT,
)

/** Absent fields stay unchanged. */
export const chatChange = z.object(
  {
    name: optional(shownName(contentLimits.groupNameCharsMax)).describe('The title; groups only.'),
    timer_ms: optional(
      z.int(TIMER_RULE).superRefine(keeps(timerFault)).meta({ minimum: 0, maximum: contentLimits.timerMsMax }),
    ).describe('How long messages are kept after they were read; 0: no limit.'),
  },
  OBJECT,
)
export type ChatChange = z.infer<typeof chatChange>

export const newMembers = z.object(
  {
    add: z
      .array(accountField, 'must be an array of account ids')
      .min(1, 'must have at least 1 entry')
      .max(othersMax, `must have at most ${othersMax} entries`),
  },
  OBJECT,
)

export const newRole = z.object({ admin: z.boolean('must be true or false') }, OBJECT)

const { safetyNumberCharsMax } = gatewayLimits
const numberRule = `must have 1 to ${safetyNumberCharsMax} characters`
export const comparison = z.object(
  {
    verified: z.boolean('must be true or false'),
    number: optional(z.string(STRING).min(1, numberRule).max(safetyNumberCharsMax, numberRule)).describe(
      'What the person sees: the digits, with any spaces between them, or the content of the QR code. Only with `verified: true`. If absent, you have compared it.',
    ),
  },
  OBJECT,
)

export const newReaction = z.object({ emoji }, OBJECT)

/** An absent body is the same as {}. */
export const readMark = z.preprocess(
  value => value ?? {},
  z.object({ up_to: optionalMessageId.describe('If absent: all messages.') }, OBJECT),
)

const { pollOptionsMin, pollOptionsMax, pollQuestionCharsMax, pollOptionCharsMax } = contentLimits
const closeRule = 'must be a time in milliseconds, or 0 for never'

const several = z.boolean('must be true or false')

/** The fields of a poll, in a request and in a command of `postern person`. */
export const pollFields = {
  question: shownText(pollQuestionCharsMax),
  options: z
    .array(shownName(pollOptionCharsMax), 'must be an array of texts')
    .superRefine(keeps(optionsCountFault))
    .meta({ minItems: pollOptionsMin, maxItems: pollOptionsMax }),
  multiple: z.preprocess(value => value ?? false, several),
  close_ts: optional(z.int(closeRule).min(0, closeRule)).describe('When it closes automatically; 0 or absent: never.'),
  reply_to: optionalMessageId,
  silent,
  mentions: mentions.describe('In the question: on whole characters, in the order of the text, and without overlap.'),
}

/** For a schema with a question. */
export const questionFits = ({ question, mentions: list }: AskedQuestion, context: z.RefinementCtx): void =>
  mentionsAreInText({ text: question, mentions: list }, context)
type AskedQuestion = { question: string; mentions?: z.infer<typeof newMention>[] | undefined }

export const newPoll = z
  .object(
    {
      ...pollFields,
      multiple: optional(several).describe('Whether people may vote for several options; by default false.'),
      buttons,
    },
    OBJECT,
  )
  .superRefine(questionFits)
export type NewPollRequest = z.infer<typeof newPoll>

const indexRule = `must be a whole number from 0 to ${pollOptionsMax - 1}`

/** Each once. Whether the poll has these options, and allows several, is checked later against the poll. */
export const chosenOptions = z
  .array(
    z
      .int(indexRule)
      .min(0, indexRule)
      .max(pollOptionsMax - 1, indexRule),
    'must be an array of indexes',
  )
  .max(pollOptionsMax, `must have at most ${pollOptionsMax} entries`)
  .describe('Indexes of options, from 0.')
export const newVote = z.object({ options: chosenOptions }, OBJECT)

export const pressAnswer = z.object({ text: characters(toastRange) }, OBJECT)
