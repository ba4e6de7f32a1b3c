// The rules that fields of a request keep, each with the sentence that a caller reads when it is broken.
import { z } from 'zod'
import { CodedError } from '../errors.ts'
import { isAccountId, isMessageId } from '../ids.ts'
import { contentLimits } from '../limits.ts'
import { charCount } from '../text.ts'

type Range = { min: number; max: number }

/** Characters are Unicode code points. Half a surrogate pair is refused: it would reach the others as another text. */
export function characters({ min, max }: Range) {
  const rule = `${min} to ${max} characters are required`
  return z
    .string(rule)
    .refine(value => value.length <= 2 * max && charCount(value) >= min && charCount(value) <= max, { error: rule })
    .refine(value => value.isWellFormed(), { error: 'it holds half of a surrogate pair' })
}

/** A number in a query, where everything is text. */
export function wholeNumber({ min, max }: Range) {
  const rule =
    max === Number.MAX_SAFE_INTEGER
      ? `a whole number from ${min} up is required`
      : `a whole number from ${min} to ${max} is required`
  return z
    .string(rule)
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .refine(value => value >= min && value <= max, { error: rule })
}

export const accountId = z.string('an account id is required').refine(isAccountId, { error: 'it is no account id' })

const messageId = z.string('a message id is required').refine(isMessageId, { error: 'it is no message id' })

/** Absent, null and "" are the same: no reply. */
const replyTo = z.preprocess(value => (value === null || value === '' ? undefined : value), messageId.optional())

const inUtf16 = (rule: string, min: number) => z.int(rule).min(min, rule).describe('In UTF-16 code units.')

const mention = z.object(
  {
    user: accountId,
    offset: inUtf16('a whole number from 0 up is required', 0),
    length: inUtf16('a whole number from 1 up is required', 1),
  },
  'an object with user, offset and length is required',
)

const mentions = z.preprocess(
  value => value ?? undefined,
  z
    .array(mention, 'an array is required')
    .max(contentLimits.mentionsMax, `at most ${contentLimits.mentionsMax} are allowed`)
    .optional(),
)

/** What a text message is made of, in a request and in a command of `postern person`. */
export const textMessageFields = {
  text: characters({ min: 1, max: contentLimits.textCharsMax }),
  reply_to: replyTo,
  mentions,
  buttons: z.array(z.unknown(), 'an array is required').max(0, 'this version has no buttons').nullish(),
}

type Mentioning = { text: string; mentions?: z.infer<typeof mention>[] | undefined }

/** For a schema with text and mentions: a mention outside of the text would show a name nobody wrote. */
export function mentionsAreInText({ text, mentions }: Mentioning, context: z.RefinementCtx): void {
  const outside = mentions?.findIndex(({ offset, length }) => offset + length > text.length) ?? -1
  if (outside >= 0)
    context.addIssue({ code: 'custom', path: ['mentions', outside], message: 'it reaches beyond the end of the text' })
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
