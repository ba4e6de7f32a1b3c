// Decodes the body of a post as text, in any charset, and as JSON.
import { CodedError } from '@postern/protocol'

/** By their names in lower case. */
export type PostHeaders = Readonly<Record<string, string | undefined>>

/** `type` is the media type, in lower case. `bytes`: as they came, for signatures. */
export type PostBody = {
  text: string
  type: string
  bytes?: Uint8Array
  headers?: PostHeaders
}

type MediaType = { type: string; charset: string | undefined }

export function readBody(bytes: Uint8Array, headers: PostHeaders): PostBody {
  const type = mediaTypeOf(headers['content-type'])
  return { text: decodeBody(bytes, type), type: type.type, bytes, headers }
}

/** Parses a Content-Type header; a body without one is plain text. */
function mediaTypeOf(header: string | undefined): MediaType {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map(parameter => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]).find(Boolean)
  return { type: type.trim().toLowerCase() || 'text/plain', charset }
}

/** In the charset that the header names, or else UTF-8. */
function decodeBody(body: Uint8Array, { charset = 'utf-8' }: MediaType): string {
  const decoder = decoderOf(markedCharset(body, charset))
  if (!decoder) throw new CodedError('bad-field', { field: 'Content-Type', rule: 'has an unknown charset' })
  try {
    return decoder.decode(body)
  } catch {
    throw new CodedError('bad-field', {
      field: 'body',
      rule: 'must be valid in its charset, which is UTF-8 by default',
    })
  }
}

/** A byte order mark says which of the two UTF-16 forms it is; scripts on Windows name none. */
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

/** `auto` reads a body to recognise it, and its format reads it again: a megabyte is parsed once. */
const parsed = new WeakMap<PostBody, { json: unknown }>()

/** Nobody changes what it returns. */
export function readJson(body: PostBody): unknown {
  const known = parsed.get(body)
  if (known) return known.json
  try {
    const json = JSON.parse(body.text) as unknown
    parsed.set(body, { json })
    return json
  } catch {
    throw new CodedError('bad-field', { field: 'body', rule: 'must be valid JSON' })
  }
}

/** JSON, or JSON in a field of a form, which some senders can choose. */
export function readJsonOrForm(body: PostBody, field: string): unknown {
  const { text, type } = body
  if (type === 'multipart/form-data') return readJson({ ...body, text: partOf(body, field) })
  // curl names this type for everything, so the body itself decides.
  const isForm = type === 'application/x-www-form-urlencoded' && !/^\s*[{[]/.test(text)
  return readJson(isForm ? { ...body, text: formValue(text, field) } : body)
}

/** By hand: a list of all fields of a megabyte of `&` would take a while. */
function formValue(text: string, field: string): string {
  const start = text.startsWith(`${field}=`) ? 0 : text.indexOf(`&${field}=`) + 1
  if (start === 0 && !text.startsWith(`${field}=`)) throw noField(field)
  const from = start + field.length + 1
  const end = text.indexOf('&', from)
  try {
    return decodeURIComponent(text.slice(from, end < 0 ? undefined : end).replaceAll('+', ' '))
  } catch {
    throw new CodedError('bad-field', { field, rule: 'must be encoded as a field of a form' })
  }
}

/** The value of one part of a form with boundaries. */
function partOf({ text, headers }: PostBody, field: string): string {
  const boundary = /boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(headers?.['content-type'] ?? '')
  const border = boundary && `--${boundary[1] ?? boundary[2]}`
  if (!border) throw new CodedError('bad-field', { field: 'Content-Type', rule: 'must name a boundary' })
  const name = text.indexOf(`name="${field}"`)
  const from = name < 0 ? -1 : text.indexOf('\r\n\r\n', name)
  const end = from < 0 ? -1 : text.indexOf(`\r\n${border}`, from)
  if (end < 0) throw noField(field)
  return text.slice(from + 4, end)
}

const noField = (field: string): CodedError =>
  new CodedError('bad-field', { field, rule: 'must be a field of the form' })
