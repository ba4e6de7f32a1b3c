// Reads a form with files and fields in any order: a file is a stream, and the fields are checked after the last one.
import { checkFields, type Endpoint } from '@postern/bot-api'
import { copyBytes, fromUtf8, gatewayLimits } from '@postern/protocol'
import { badField } from '../errors.ts'
import { type FormPart, readParts } from './parts.ts'

export type FormRules = NonNullable<Endpoint['form']>

export type FormFile = { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }

export type OpenForm = {
  file: FormFile
  /** The next file, once the last one was read to its end; undefined when there is none. */
  nextFile(): Promise<FormFile | undefined>
  /** Call it after all files were read to their ends: some fields may follow them. */
  fields(): Promise<unknown>
}

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
  const budget = { bytesLeft: rules.fileBytesMax }
  const fileOf = ({ fileName = '', type, bytes }: FormPart): FormFile => ({
    name: fileName,
    declaredType: type,
    bytes: bounded(bytes, { budget, rules }),
  })
  const { filesMax = 1 } = rules
  let count = 1
  const nextFile = async (): Promise<FormFile | undefined> => {
    const part = await untilFile()
    if (!part) return undefined
    count++
    if (count > filesMax)
      throw badField(FILE, filesMax === 1 ? 'must be sent exactly once' : `must be sent at most ${filesMax} times`)
    return fileOf(part)
  }
  const first = await untilFile()
  if (!first) throw badField(FILE, 'is required')
  // A sender should not upload 300 MB to learn that an earlier field was wrong.
  check()
  return {
    file: fileOf(first),
    nextFile,
    fields: async () => {
      if (await nextFile()) throw badField(FILE, 'must be read before the fields')
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

type Bound = { budget: { bytesLeft: number }; rules: FormRules }

/** Throws at the first byte over the limit, which all files of a form share. */
async function* bounded(bytes: AsyncIterable<Uint8Array>, { budget, rules }: Bound): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    budget.bytesLeft -= chunk.length
    if (budget.bytesLeft < 0) throw tooManyBytes(rules)
    yield chunk
  }
}

export const tooManyBytes = ({ fileBytesMax, filesMax }: FormRules): Error =>
  badField(FILE, `must have at most ${fileBytesMax} bytes${filesMax === undefined ? '' : ' in all files together'}`)
