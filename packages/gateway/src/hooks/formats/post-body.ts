// Decodes the body of a post as text, in any charset, and as JSON.
import { CodedError } from '@postern/protocol'

/** `type` is the media type, in lower case. */
export type PostBody = { text: string; type: string }

type MediaType = { type: string; charset: string | undefined }

export function readBody(body: Uint8Array, contentType: string | undefined): PostBody {
  const type = mediaTypeOf(contentType)
  return { text: decodeBody(body, type), type: type.type }
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

export function readJson({ text }: PostBody): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new CodedError('bad-field', { field: 'body', rule: 'must be valid JSON' })
  }
}
