// Reads the parts of a multipart/form-data body (RFC 7578) one after the other, on demand.
import { gatewayLimits } from '@postern/protocol'
import { badField } from '../errors.ts'
import { ByteReader } from './byte-reader.ts'
import { type PartHead, parsePartHead } from './part-head.ts'

/** The bytes can be read until the next part is requested: then the rest of them is skipped. */
export type FormPart = PartHead & { bytes: AsyncIterable<Uint8Array> }

const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

const endedEarly = () => badField('body', 'ends before the form is complete')
const malformed = () => badField('body', 'must be valid multipart/form-data')

export async function* readParts(
  source: AsyncIterator<Uint8Array, undefined>,
  boundary: string,
): AsyncGenerator<FormPart, undefined> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // As if a line had ended before the body: the first delimiter is then like the others.
  const reader = new ByteReader(source, LINE_END)
  if (!(await reader.until(delimiter, gatewayLimits.formHeadBytesMax))) throw malformed()
  for (let count = 1; await hasNext(reader); count++) {
    if (count > gatewayLimits.formPartsMax)
      throw badField('body', `must have at most ${gatewayLimits.formPartsMax} parts`)
    const head = await reader.until(HEAD_END, gatewayLimits.formHeadBytesMax)
    if (!head) throw malformed()
    const bytes = reader.streamUntil(delimiter, endedEarly)
    // The stream continues when a reader stops: the rest must be skipped to reach the next part.
    yield { ...parsePartHead(head), bytes: { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) } }
    while (!(await bytes.next()).done);
  }
  // The bytes after the form, too: a request that breaks off there is answered by 400, and then nothing may be sent.
  while (!(await source.next()).done);
}

/** After a delimiter: the end of the form, or the end of the line. */
async function hasNext(reader: ByteReader): Promise<boolean> {
  const behind = await reader.peek(2)
  if (!behind) throw endedEarly()
  if (behind.toString('latin1') === '--') return false
  const padding = await reader.until(LINE_END, gatewayLimits.formHeadBytesMax)
  if (!padding || /[^ \t]/.test(padding.toString('latin1'))) throw malformed()
  return true
}
