// The format `text`: a plain body as it is, or the field `text` of a JSON object.
import { CodedError } from '@postern/protocol'
import { cleanText, isBlank } from '../texts/clean.ts'
import { isFields } from './fields.ts'
import { defineFormat } from './format.ts'
import { type PostBody, readJson } from './post-body.ts'

export const text = defineFormat({
  read: readText,
  plan: words => ({ kind: 'write', text: words }),
})

export function readText(body: PostBody): string {
  const words = cleanText(writtenText(body))
  if (isBlank(words)) throw new CodedError('bad-field', { field: 'text', rule: 'must not be blank' })
  return words
}

function writtenText(body: PostBody): string {
  const { type } = body
  if (type.startsWith('text/')) return body.text
  if (type !== 'application/json' && !type.endsWith('+json'))
    throw new CodedError('bad-field', { field: 'Content-Type', rule: 'must be text/plain or application/json' })
  const json = readJson(body)
  if (!isFields(json)) throw new CodedError('bad-field', { field: 'body', rule: 'must be a JSON object' })
  const { text: words } = json
  if (typeof words !== 'string') throw new CodedError('bad-field', { field: 'text', rule: 'must be a string' })
  return words
}
