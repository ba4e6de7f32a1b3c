// A form around files, written by hand: FormData needs the whole files in memory.
import { chunksOf, type NamedFile } from './files.ts'

export type FormParts = { fields: Readonly<Record<string, unknown>>; files: readonly NamedFile[] }

export function formAround(parts: FormParts): { contentType: string; chunks: AsyncGenerator<Uint8Array> } {
  const boundary = `postern-${crypto.randomUUID()}`
  return { contentType: `multipart/form-data; boundary=${boundary}`, chunks: chunksWithin(boundary, parts) }
}

async function* chunksWithin(boundary: string, { fields, files }: FormParts): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const part = (words: string) => `--${boundary}\r\nContent-Disposition: form-data; ${words}\r\n\r\n`
  const texts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${part(`name="${field}"`)}${textOf(value)}\r\n`)
  yield encoder.encode(texts.join(''))
  for (const { file, name = 'file' } of files) {
    // Somebody else may have chosen the name: unescaped, it could end its line and begin a field.
    const fileName = encodeURIComponent(wellFormed(name)).replaceAll(/['()*]/g, percentEncoded)
    yield encoder.encode(part(`name="file"; filename*=UTF-8''${fileName}`))
    yield* chunksOf(file)
    yield encoder.encode('\r\n')
  }
  yield encoder.encode(`--${boundary}--\r\n`)
}

/** Half of a surrogate pair cannot be encoded. */
const wellFormed = (text: string): string => new TextDecoder().decode(new TextEncoder().encode(text))

const percentEncoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`

/** A list in a form is a JSON text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
