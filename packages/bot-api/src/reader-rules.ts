// The rules for named readers in a request.
import { CodedError } from '@postern/protocol'
import { z } from 'zod'
import { receiptTypeNames, updateTypeNames } from './events.ts'

const name = /^[a-z0-9_-]{1,32}$/
const nameRule = 'must have 1 to 32 characters of a-z, 0-9, _ and -'

/** A new schema each time: the document cannot refer to one that has no name. */
export const readerName = () => z.string(nameRule).regex(name, nameRule)

/** In a path: a text that is not a name names a reader that does not exist. */
export const readerInPath = z
  .string(nameRule)
  .transform(text => {
    if (name.test(text)) return text
    throw new CodedError('reader-not-found', { reader: text })
  })
  .meta({ type: 'string' })
  .describe('The name of a reader.')

const typesRule = `must be types of updates, separated by commas: ${updateTypeNames.join(', ')}`
const oneType = `(${updateTypeNames.join('|')})`

/** In the order of the table, each once. */
export const updateTypes = z
  .string(typesRule)
  .regex(new RegExp(`^${oneType}(,${oneType})*$`), typesRule)
  .transform(text => updateTypeNames.filter(type => text.split(',').includes(type)))
  .optional()
  .meta({ type: 'string' })
  .describe(
    `Only updates of these types, separated by commas; the others count as confirmed. If absent: all except ${receiptTypeNames.join(' and ')}, which only a named reader receives, from its first request with them on.`,
  )

type AskedTypes = { reader?: string | undefined; types?: readonly string[] | undefined }

/** For a query with types: the queue without a name has no place in which to wait for receipts. */
export function receiptsHaveReader({ reader, types = [] }: AskedTypes, context: z.RefinementCtx): void {
  if (reader === undefined && types.some(type => receiptTypeNames.includes(type)))
    context.addIssue({
      code: 'custom',
      path: ['types'],
      message: `must not contain ${receiptTypeNames.join(' or ')} without a reader`,
    })
}

export const readerStart = z
  .enum(['now', 'oldest'], 'must be now or oldest')
  .default('now')
  .describe(
    'Where a new reader begins: with the next update, or with the oldest one that is kept for any reader. An existing reader keeps its place.',
  )

const offsetRule = 'must be a whole number of at least 0'

export const readerConfirmation = z.object(
  {
    offset: z.int(offsetRule).min(0, offsetRule).describe('The id of the last update that was handled, plus 1.'),
  },
  'must be a JSON object',
)
