// The answers of the one endpoint that gives bytes: a file comes whole, in part, or not at all.
import { CodedError } from '@postern/protocol'
import { apiErrorOf } from '../errors.ts'
import { errorOf } from './error-answers.ts'
import { binary } from './schemas.ts'
import type { Answer, Content, Header } from './shapes.ts'

const text = (description: string): Header => ({ description, schema: { type: 'string' } })

const etag = text('Names these bytes; for If-None-Match, If-Match and If-Range.')
const contentRange = text('Which bytes these are, and of how many, as in `bytes 0-1023/4096`.')
const whole = {
  ETag: etag,
  'Content-Disposition': text('`attachment`, with the name of the file.'),
  'Content-Length': { description: 'In bytes.', schema: { type: 'integer', format: 'int64' } },
  'Accept-Ranges': text('`bytes`.'),
}

/** Its type is that of the file, which no document can list: generators make bytes of this one, and nothing of any type. */
const content: Content = { 'application/octet-stream': { schema: binary } }

const refusal = (field: string, rule: string) => apiErrorOf(new CodedError('bad-field', { field, rule }))

const unlessWanted: Record<string, Answer> = {
  304: { description: 'The caller has it already: If-None-Match names its ETag.', headers: { ETag: etag } },
  412: errorOf(
    '`bad_request`: It is another file: If-Match does not name its ETag.',
    refusal('If-Match', 'the file has another ETag'),
  ),
}

export const fileAnswers: Record<string, Answer> = {
  200: { description: 'The whole file, under its own Content-Type.', headers: whole, content },
  206: {
    description: 'The range of it that was asked for.',
    headers: { ...whole, 'Content-Range': contentRange },
    content,
  },
  ...unlessWanted,
  416: {
    ...errorOf(
      '`bad_request`: The range lies behind the end of the file.',
      refusal('Range', 'the file has 4096 bytes'),
    ),
    headers: { 'Content-Range': contentRange },
  },
}

/** To HEAD: the same without the bytes. Ranges are for GET. */
export const fileHeadAnswers: Record<string, Answer> = {
  200: { description: 'What GET would answer, without the bytes.', headers: whole },
  ...unlessWanted,
}
