// The answers of the endpoint that returns bytes: a whole file, a range, or an error.
import { CodedError } from '@postern/protocol'
import { apiErrorOf } from '../errors.ts'
import { errorOf } from './error-answers.ts'
import { binary } from './schemas.ts'
import type { OpenapiContent, OpenapiHeader, OpenapiResponse } from './shapes.ts'

const text = (description: string): OpenapiHeader => ({ description, schema: { type: 'string' } })

const etag = text('Identifies these bytes; for If-None-Match, If-Match and If-Range.')
const contentRange = text('The range of these bytes and the total, as in `bytes 0-1023/4096`.')
const whole = {
  ETag: etag,
  'Content-Disposition': text('`attachment`, with the name of the file.'),
  'Content-Length': { description: 'In bytes.', schema: { type: 'integer', format: 'int64' } },
  'Accept-Ranges': text('`bytes`.'),
}

/**
 * Its type is that of the file, which no document can list: generators return bytes for this type, and nothing for an
 * unspecific one.
 */
const content: OpenapiContent = { 'application/octet-stream': { schema: binary } }

const refusal = (field: string, rule: string) => apiErrorOf(new CodedError('bad-field', { field, rule }))

const unlessWanted: Record<string, OpenapiResponse> = {
  304: { description: 'You already have the file: If-None-Match names its ETag.', headers: { ETag: etag } },
  412: errorOf(
    '`bad_request`: The file differs: If-Match does not name its ETag.',
    refusal('If-Match', 'does not match the ETag of the file'),
  ),
}

export const fileAnswers: Record<string, OpenapiResponse> = {
  200: { description: 'The whole file, under its own Content-Type.', headers: whole, content },
  206: {
    description: 'The requested range.',
    headers: { ...whole, 'Content-Range': contentRange },
    content,
  },
  ...unlessWanted,
  416: {
    ...errorOf(
      '`bad_request`: The range is beyond the end of the file.',
      refusal('Range', 'must begin within the file, which has 4096 bytes'),
    ),
    headers: { 'Content-Range': contentRange },
  },
}

/** For HEAD: the same without the bytes. Ranges are for GET. */
export const fileHeadAnswers: Record<string, OpenapiResponse> = {
  200: { description: 'The answer of GET, without the bytes.', headers: whole },
  ...unlessWanted,
}
