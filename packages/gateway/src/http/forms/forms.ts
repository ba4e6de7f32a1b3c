// Reads a form with one file and fields in any order: the file is a stream, and the fields are checked after it.
import { checkFields, type Endpoint } from '@postern/bot-api'
import { copyBytes, fromUtf8, gatewayLimits } from '@postern/protocol'
import { badField } from '../errors.ts'
import { type FormPart, readParts } from './parts.ts'

export type FormRules = NonNullable<Endpoint['form']>

export type FormFile = { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }

/** Call `fields` after the file was read to its end: some of them may follow it. */
export type OpenForm = { file: FormFile; fields(): Promise<unknown> }

const FILE = 'file'

export function boundaryOf(contentType: string | undefined): string {
  const [, quoted, bare] =
    /^multipart\/form-data\s*;.*?boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) throw badField('Content-Type', 'must be multipart/form-data with a boundary')
  return boundary
}

export async function openForm(
  source: AsyncIterator<Uint8Array, undefined>,
  { boundary, rules }: { boundary: string; rules: FormRules },
): Promise<OpenForm> {
  const parts = readParts(source, boundary)
  const fields = new Map<string, string>()
  const check = () => checkFields(rules.fields, Object.fromEntries(fields), { whole: 'body' })
  const untilFile = async (): Promise<FormPart | undefined> => {
    for (;;) {
      const { value: part } = await parts.next()
      if (!part || part.name === FILE) return part
      if (Object.hasOwn(rules.fields.shape, part.name)) await keepField(fields, part)
    }
  }
  const part = await untilFile()
  if (!part) throw badField(FILE, 'is required')
  // A sender should not upload 300 MB to learn that an earlier field was wrong.
  check()
  return {
    file: { name: part.fileName ?? '', declaredType: part.type, bytes: bounded(part.bytes, rules.fileBytesMax) },
    fields: async () => {
      if (await untilFile()) throw badField(FILE, 'must be sent exactly once')
      return check()
    },
  }
}

async function keepField(fields: Map<string, string>, { name, bytes }: FormPart): Promise<void> {
  if (fields.has(name)) throw badField(name, 'must not be repeated')
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > gatewayLimits.formFieldBytesMax)
      throw badField(name, `must have at most ${gatewayLimits.formFieldBytesMax} bytes`)
    chunks.push(copyBytes(chunk))
  }
  try {
    fields.set(name, fromUtf8(Buffer.concat(chunks)))
  } catch {
    throw badField(name, 'must be valid UTF-8')
  }
}

/** Throws at the first byte over the limit. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of bytes) {
    length += chunk.length
    if (length > bytesMax) throw badField(FILE, `must have at most ${bytesMax} bytes`)
    yield chunk
  }
}
