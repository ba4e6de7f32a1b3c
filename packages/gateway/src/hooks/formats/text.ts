// The format `text`: a plain body as it is, or the field `text` of a JSON object.
import { CodedError } from '@postern/protocol'
import { cleanText, isBlank } from './clean.ts'
import { isFields } from './fields.ts'

export type MediaType = { type: string; charset: string | undefined }

/** Of a Content-Type header; a body without one is plain text. */
export function mediaTypeOf(header: string | undefined): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map(parameter => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]).find(Boolean)
  return { type: type.trim().toLowerCase() || 'text/plain', charset }
}

/** In the charset that the header names, or else UTF-8. */
export function decodeBody(body: Uint8Array, { charset = 'utf-8' }: MediaType): string {
  const decoder = decoderOf(markedCharset(body, charset))
  if (!decoder) throw new CodedError('bad-field', { field: 'Content-Type', rule: 'its charset is not known' })
  try {
    return decoder.decode(body)
  } catch {
    throw new CodedError('bad-field', {
      field: 'body',
      rule: 'it is not valid in its charset, which is UTF-8 by default',
    })
  }
}

/** Of the two ways to write UTF-16 a mark at the beginning says which; scripts on Windows name none. */
function markedCharset(body: Uint8Array, named: string): string {
  if (!/^utf-?(8|16)$/i.test(named)) return named
  const mark = Buffer.from(body.subarray(0, 2)).toString('hex')
  if (mark === 'fffe') return 'utf-16le'
  return mark === 'feff' ? 'utf-16be' : named
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    return undefined
  }
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CodedError('bad-field', { field: 'body', rule: 'it is not valid JSON' })
  }
}

export function readText(body: string, { type }: MediaType): string {
  const text = cleanText(writtenText(body, type))
  if (isBlank(text)) throw new CodedError('bad-field', { field: 'text', rule: 'more than white space is required' })
  return text
}

function writtenText(body: string, type: string): string {
  if (type.startsWith('text/')) return body
  if (type !== 'application/json' && !type.endsWith('+json'))
    throw new CodedError('bad-field', { field: 'Content-Type', rule: 'text/plain or application/json is required' })
  const json = readJson(body)
  if (!isFields(json)) throw new CodedError('bad-field', { field: 'body', rule: 'a JSON object is required' })
  const { text } = json
  if (typeof text !== 'string') throw new CodedError('bad-field', { field: 'text', rule: 'a string is required' })
  return text
}
