// The rules for fields of a request, each with the sentence that a caller reads when a field breaks it.
// Rules that JSON Schema cannot express are in `meta`, for the documents.
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

/** The rule for every value that is not a string; it is checked before the length. */
export const STRING = 'must be a string'

/** For a schema: reports the rule that the value breaks. */
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

/** Characters are Unicode code points. Half a surrogate pair is rejected: it would reach the others as another text. */
export const characters = (range: CharRange) => text({ fault: value => charsFault(value, range), ...range })

/** An invisible text would look like none. */
export const shownText = (max: number) => text({ fault: value => shownFault(value, max), min: 1, max })

/** In one line, without characters that hide in it or reverse the neighbouring text. */
export const shownLine = (max: number) => text({ fault: value => lineOfFault(value, max), min: 0, max })

export const shownName = (max: number) =>
  text({ fault: value => nameFault(value, max), min: 1, max }).describe(
    'One line with a visible character, without control characters and characters that change the direction of writing.',
  )

/** Null is the same as absent. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(value => value ?? undefined, schema.optional())

/** A number in a query, where every value is a string. */
export function wholeNumber({ min, max }: { min: number; max: number }) {
  const rule =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${min}`
      : `must be a whole number from ${min} to ${max}`
  return z
    .string(rule)
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .refine(value => value >= min && value <= max, { error: rule })
    .meta({ type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }) })
}

export const accountField = z
  .string('must be an account id')
  .refine(isAccountId, { error: 'is not a valid account id' })

export const messageField = z
  .string('must be a message id')
  .refine((value): value is MessageId => isMessageId(value), { error: 'is not a valid message id' })

/** Absent, null and "" are the same: no message. */
export const optionalMessageId = z.preprocess(
  value => (value === null || value === '' ? undefined : value),
  messageField.optional(),
)

/** In a path: any text. A text that is not a chat id names a chat that does not exist. */
export const accountInPath = z
  .string('must be an account id')
  .transform(accountIdOf)
  .meta({ type: 'string' })
  .describe('The id of a person’s account.')
/** In other places an empty text is a forgotten field, not a chat that does not exist. */
export const namedChat = z
  .string('must be a chat id')
  .min(1, 'must be a chat id')
  .transform(chatIdOf)
  .meta({ type: 'string' })
export const chatInPath = z
  .string('must be a chat id')
  .transform(chatIdOf)
  .meta({ type: 'string' })
  .describe('The id of a chat; for a private chat, the other person’s account id.')
export const messageInPath = z
  .string('must be a message id')
  .transform(messageIdOf)
  .meta({ type: 'string' })
  .describe('The id of a message in that chat.')
export const pressInPath = z
  .string('must be a press id')
  .transform(pressIdOf)
  .meta({ type: 'string' })
  .describe('The id of a press, from its `button` update.')

export const emoji = z
  .string(EMOJI_RULE)
  .superRefine(keeps(emojiFault))
  .meta({ maxLength: contentLimits.emojiUnitsMax })
  .describe('One emoji.')

export const inUtf16 = (rule: string, min: number) => z.int(rule).min(min, rule).describe('In UTF-16 code units.')

export const newMention = z.object(
  {
    user: accountField,
    offset: inUtf16('must be a whole number of at least 0', 0),
    length: inUtf16('must be a whole number of at least 1', 1),
  },
  'must be an object with user, offset and length',
)

/** A list in a form: a JSON text. An empty text means absent. */
export const jsonInForm = <List extends z.ZodType>(list: List) =>
  z.preprocess(value => (value === '' ? undefined : readJson(value)), list.optional()).meta({ type: 'string' })

/** A text that is no JSON is left to the rule of the list, which names the type that the field must have. */
function readJson(value: unknown): unknown {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as unknown) : value
  } catch {
    return value
  }
}

const mentionList = z
  .array(newMention, 'must be an array')
  .superRefine(keeps(mentionsCountFault))
  .meta({ maxItems: contentLimits.mentionsMax })

export const mentionsInForm = jsonInForm(mentionList).describe('In the caption: a JSON array, as for a text.')

export const mentions = optional(mentionList).describe(
  'On whole characters, in the order of the text, and without overlap; the named person need not be a member.',
)

const SILENT = 'The message arrives, but nobody is notified; by default false.'

export const silent = optional(z.boolean('must be true or false')).describe(SILENT)

/** In a form, where every value is a text and an empty one means absent. */
export const silentInForm = z
  .preprocess(
    value => (value === '' ? undefined : value),
    z
      .enum(['true', 'false'], 'must be true or false')
      .transform(value => value === 'true')
      .meta({ type: 'boolean' })
      .optional(),
  )
  .describe(SILENT)

export const messageText = characters(textRange)

/** The fields of a text message, in a request and in a command of `postern person`. */
export const textMessageFields = { text: messageText, reply_to: optionalMessageId, mentions, silent }

type Mentioning = { text?: string | undefined; mentions?: z.infer<typeof newMention>[] | undefined }

/** For a schema with text and mentions: a mention outside of the text would show a name that nobody wrote. */
export function mentionsAreInText({ text = '', mentions = [] }: Mentioning, context: z.RefinementCtx): void {
  const fault = mentionFault(text, mentions)
  if (fault) context.addIssue({ code: 'custom', path: ['mentions', fault.at], message: fault.rule })
}

/** The value as its schema returns it, or the first broken rule under the name of its field. */
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
