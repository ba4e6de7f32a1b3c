// What callers send: the bodies of requests, with the rules of every field.
import {
  aboutRange,
  captionRange,
  commandName,
  commandNameFault,
  commandsCountFault,
  contentLimits,
  optionsCountFault,
  toastRange,
} from '@postern/protocol'
import { z } from 'zod'
import { buttons } from './button-rules.ts'
import {
  accountField,
  characters,
  emoji,
  keeps,
  mentions,
  mentionsAreInText,
  optional,
  optionalMessageId,
  STRING,
  shownLine,
  shownName,
  shownText,
  textMessageFields,
} from './field-rules.ts'

const OBJECT = 'a JSON object is required'

export const textMessage = z.object({ ...textMessageFields, buttons }, OBJECT).superRefine(mentionsAreInText)
export type TextMessage = z.infer<typeof textMessage>

/** What is absent stays as it is. */
export const messageEdit = z
  .object(
    {
      text: optional(characters(captionRange)).describe('Only a caption may be empty.'),
      mentions: mentions.describe(
        'Alone they are judged by the text as it stands, and [] removes them. A new text without mentions has none.',
      ),
      buttons,
    },
    OBJECT,
  )
  // Without a text they are judged where it is known.
  .superRefine(({ text, mentions }, context) => {
    if (text !== undefined) mentionsAreInText({ text, mentions }, context)
  })
export type MessageEdit = z.infer<typeof messageEdit>

/** What is absent stays as it is. */
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
  'an object with name, description and args is required',
)

export const botCommands = z
  .object(
    {
      commands: z
        .array(newCommand, 'an array is required')
        .superRefine(keeps(commandsCountFault))
        .meta({ maxItems: contentLimits.commandsMax }),
    },
    OBJECT,
  )
  .superRefine(({ commands }, context) => {
    const again = commands.findIndex(({ name }, at) => commands.findIndex(other => other.name === name) < at)
    if (again >= 0)
      context.addIssue({ code: 'custom', path: ['commands', again, 'name'], message: 'it stands there twice' })
  })
export type BotCommands = z.infer<typeof botCommands>

/** The one who makes the group is in it, too. */
const othersMax = contentLimits.groupMembersMax - 1

export const newGroup = z.object(
  {
    name: shownName(contentLimits.groupNameCharsMax),
    members: z
      .array(accountField, 'an array of account ids is required')
      .max(othersMax, `at most ${othersMax} are allowed`),
  },
  OBJECT,
)

export const newReaction = z.object({ emoji }, OBJECT)

/** Nothing at all is the same as {}. */
export const readMark = z.preprocess(
  value => value ?? {},
  z.object({ up_to: optionalMessageId.describe('All messages when absent.') }, OBJECT),
)

const { pollOptionsMin, pollOptionsMax, pollQuestionCharsMax, pollOptionCharsMax } = contentLimits
const closeRule = 'a time in milliseconds, or 0 for never, is required'

const several = z.boolean('true or false is required')

/** What a poll is made of, in a request and in a command of `postern person`. */
export const pollFields = {
  question: shownText(pollQuestionCharsMax),
  options: z
    .array(shownName(pollOptionCharsMax), 'an array of texts is required')
    .superRefine(keeps(optionsCountFault))
    .meta({ minItems: pollOptionsMin, maxItems: pollOptionsMax }),
  multiple: z.preprocess(value => value ?? false, several),
  close_ts: optional(z.int(closeRule).min(0, closeRule)).describe('When it closes by itself; 0 or absent: never.'),
  reply_to: optionalMessageId,
}
export const newPoll = z.object(
  {
    ...pollFields,
    multiple: optional(several).describe('Whether one may vote for several options; false when absent.'),
  },
  OBJECT,
)
export type NewPollRequest = z.infer<typeof newPoll>

const indexRule = `a whole number from 0 to ${pollOptionsMax - 1} is required`

/** Each once; whether the poll has them, and takes several, is seen when it is looked at. */
export const chosenOptions = z
  .array(
    z
      .int(indexRule)
      .min(0, indexRule)
      .max(pollOptionsMax - 1, indexRule),
    'an array of indexes is required',
  )
  .max(pollOptionsMax, `at most ${pollOptionsMax} are allowed`)
  .describe('Indexes of options, from 0.')
export const newVote = z.object({ options: chosenOptions }, OBJECT)

export const pressAnswer = z.object({ text: characters(toastRange) }, OBJECT)
