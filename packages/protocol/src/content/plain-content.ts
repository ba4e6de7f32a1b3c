// Recognizes the usual content, a plain text, without a schema: parsing it with one would take longer than everything else.
import { isSendId, type SendId } from '../ids.ts'
import { lengthFault, textRange } from '../rules/text.ts'

type PlainText = { kind: 'text'; text: string }
type PlainContent = { send: SendId; profileVersion: number; body: PlainText }
type Fields = Readonly<Record<string, unknown>>

/** Undefined proves nothing: it may be a content of another form, or none. */
export function plainContent(value: unknown, version: number): PlainContent | undefined {
  if (!hasFields(value, 4)) return undefined
  const { v, send, profileVersion, body } = value
  if (v !== version || !isCount(profileVersion) || !isPlainText(body)) return undefined
  if (typeof send !== 'string' || !isSendId(send)) return undefined
  return { send, profileVersion, body: { kind: 'text', text: body.text } }
}

/** A text that every receiver accepts, with no other field. */
export const isPlainText = (body: unknown): body is PlainText =>
  hasFields(body, 2) &&
  body['kind'] === 'text' &&
  typeof body['text'] === 'string' &&
  lengthFault(body['text'], textRange) === undefined

/** Exactly this number of fields: any other field must be checked or dropped. */
const hasFields = (value: unknown, count: number): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === count

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
