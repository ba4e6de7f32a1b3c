// The rules that fields of a request keep, each with the sentence that a caller reads when it is broken.
// What JSON Schema cannot say by itself stands in `meta`, for the documents.
import {
  type CharRange,
  CodedError,
  charsFault,
  contentLimits,
  EMOJI_RULE,
  emojiFault,
  type Fault,
  isAccountId,
  isMessageId,
  lineOfFault,
  type MessageId,
  mentionFault,
  mentionsCountFault,
  nameFault,
  shownFault,
  textRange,
} from '@postern/protocol'
import { z } from 'zod'
import { accountIdOf, chatIdOf, messageIdOf, pressIdOf } from './path-ids.ts'

/** Said of whatever is no text, before anybody counts its characters. */
export const STRING = 'a string is required'

/** For a schema: the rule that the value breaks, if it breaks one. */
export const keeps =
  <Value>(fault: (value: Value) => Fault) =>
  (value: Value, context: z.RefinementCtx): void => {
    const message = fault(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }

type Text = { fault: (value: string) => Fault } & CharRange

const text = ({ fault, min, max }: Text) =>
  z
    .string(STRING)
    .superRefine(keeps(fault))
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max })

/** Characters are Unicode code points. Half a surrogate pair is refused: it would reach the others as another text. */
export const characters = (range: CharRange) => text({ fault: value => charsFault(value, range), ...range })

/** A text of which nothing is seen would show as none. */
export const shownText = (max: number) => text({ fault: value => shownFault(value, max), min: 1, max })

/** In one line, without what hides in it or turns round what stands beside it. */
export const shownLine = (max: number) => text({ fault: value => lineOfFault(value, max), min: 0, max })

export const shownName = (max: number) =>
  text({ fault: value => nameFault(value, max), min: 1, max }).describe(
    'One line, with something to see, and without control characters and signs that turn the writing round.',
  )

/** Null is the same as absent. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => value ?? undefined, schema.optional())

/** A number in a query, where everything is text. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const rule =
    max === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${min} up is required`
      : `a whole number from ${min} to ${max} is required`
  return z
    .string(rule)
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .refine(value => value >= min && value <= max, { error: rule })
    .meta({ type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }) })
}

export const accountField = z.string('an account id is required').refine(isAccountId, { error: 'it is no account id' })

const messageId = z
  .string('a message id is required')
  .refine((value): value is MessageId => isMessageId(value), { error: 'it is no message id' })

/** Absent, null and "" are the same: no message. */
export const optionalMessageId = z.preprocess(
  value => (value === null || value === '' ? undefined : value),
  messageId.optional(),
)

/** In a path: any text. What is no id of a chat names a chat that does not exist. */
export const accountInPath = z
  .string('an account id is required')
  .transform(accountIdOf)
  .meta({ type: 'string' })
  .describe('The id of a person’s account.')
/** Elsewhere an empty text is a field that was forgotten, and no chat that does not exist. */
export const namedChat = z
  .string('a chat id is required')
  .min(1, 'a chat id is required')
  .transform(chatIdOf)
  .meta({ type: 'string' })
export const chatInPath = z
  .string('a chat id is required')
  .transform(chatIdOf)
  .meta({ type: 'string' })
  .describe('The id of a chat; of a private one, the other person’s account id.')
export const messageInPath = z
  .string('a message id is required')
  .transform(messageIdOf)
  .meta({ type: 'string' })
  .describe('The id of a message in that chat.')
export const pressInPath = z
  .string('a press id is required')
  .transform(pressIdOf)
  .meta({ type: 'string' })
  .describe('The id of a press, from its `button` update.')

export const emoji = z
  .string(EMOJI_RULE)
  .superRefine(keeps(emojiFault))
  .meta({ maxLength: contentLimits.emojiUnitsMax })
  .describe('One emoji.')

const inUtf16 = (rule: string, min: number) => z.int(rule).min(min, rule).describe('In UTF-16 code units.')

export const newMention = z.object(
  {
    user: accountField,
    offset: inUtf16('a whole number from 0 up is required', 0),
    length: inUtf16('a whole number from 1 up is required', 1),
  },
  'an object with user, offset and length is required',
)

export const mentions = optional(
  z
    .array(newMention, 'an array is required')
    .superRefine(keeps(mentionsCountFault))
    .meta({ maxItems: contentLimits.mentionsMax }),
).describe(
  'On whole characters, in the order of the text, and not over each other; whom they name need not be a member.',
)

export const messageText = characters(textRange)

/** What a text message is made of, in a request and in a command of `postern person`. */
export const textMessageFields = { text: messageText, reply_to: optionalMessageId, mentions }

type Mentioning = { text?: string | undefined; mentions?: z.infer<typeof newMention>[] | undefined }

/** For a schema with text and mentions: a mention outside of the text would show a name nobody wrote. */
export function mentionsAreInText({ text = '', mentions = [] }: Mentioning, context: z.RefinementCtx): void {
  const fault = mentionFault(text, mentions)
  if (fault) context.addIssue({ code: 'custom', path: ['mentions', fault.at], message: fault.rule })
}

/** The value as its schema gives it, or the first broken rule under the name of its field. */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { whole }: { whole: string },
): z.infer<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new CodedError('bad-field', { field: fieldName(issue?.path ?? []) || whole, rule: issue?.message })
}

const fieldName = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    return name === '' ? String(part) : `${name}.${String(part)}`
  }, '')
