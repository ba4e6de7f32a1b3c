// What callers send: the bodies of requests, with the rules of every field.
import { z } from 'zod'
import { contentLimits } from '../limits.ts'
import {
  accountId,
  characters,
  emoji,
  mentions,
  mentionsAreInText,
  messageText,
  noButtons,
  optional,
  optionalMessageId,
  shownName,
  textMessageFields,
} from './field-rules.ts'

const OBJECT = 'a JSON object is required'

export const textMessage = z.object(textMessageFields, OBJECT).superRefine(mentionsAreInText)
export type TextMessage = z.infer<typeof textMessage>

/** What is absent stays as it is. */
export const messageEdit = z
  .object({ text: optional(messageText), mentions, buttons: noButtons }, OBJECT)
  .superRefine(mentionsAreInText)
export type MessageEdit = z.infer<typeof messageEdit>

/** What is absent stays as it is. */
export const botChange = z.object(
  {
    name: optional(shownName(contentLimits.nameCharsMax)),
    about: optional(characters({ min: 0, max: contentLimits.aboutCharsMax })),
  },
  OBJECT,
)
export type BotChange = z.infer<typeof botChange>

const commandName = /^[a-z0-9_]{1,32}$/
const commandNameRule = '1 to 32 of the signs a to z, 0 to 9 and _ are required'

const newCommand = z.object(
  {
    name: z.string(commandNameRule).regex(commandName, commandNameRule),
    description: z.preprocess(
      value => value ?? '',
      characters({ min: 0, max: contentLimits.commandDescriptionCharsMax }),
    ),
    args: z.preprocess(
      value => value || undefined,
      characters({ min: 0, max: contentLimits.commandArgsCharsMax }).optional(),
    ),
  },
  'an object with name and description is required',
)

export const botCommands = z
  .object(
    {
      commands: z
        .array(newCommand, 'an array is required')
        .max(contentLimits.commandsMax, `at most ${contentLimits.commandsMax} are allowed`),
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
      .array(accountId, 'an array of account ids is required')
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
