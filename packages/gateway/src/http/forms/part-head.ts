// Parses the head of a form part: its name, and for a file the name and type that the sender gave it.
import { fromUtf8 } from '@postern/protocol'
import { badField } from '../errors.ts'

export type PartHead = { name: string; fileName?: string; type?: string }

export function parsePartHead(bytes: Buffer): PartHead {
  const headers = new Map(textOf(bytes).split('\r\n').map(headerOf))
  const parameters = parametersOf(headers.get('content-disposition') ?? '')
  const name = parameters.get('name')
  if (name === undefined) throw badField('body', 'must be a form in which every part has a name')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['binary', '8bit', '7bit'].includes(encoding))
    throw badField('body', 'must be a form without Content-Transfer-Encoding')
  const fileName = extendedValue(parameters.get('filename*')) ?? parameters.get('filename')
  const type = headers.get('content-type')
  return { name, ...(fileName !== undefined && { fileName }), ...(type !== undefined && { type }) }
}

/** UTF-8 by the current rule; names of older senders are read byte by byte. */
function textOf(bytes: Buffer): string {
  try {
    return fromUtf8(bytes)
  } catch {
    return bytes.toString('latin1')
  }
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

const parameter = /;\s*([\w-]+\*?)\s*=\s*(?:"((?:\\"|[^"])*)"|([^;\s]*))/g

function parametersOf(disposition: string): Map<string, string> {
  const [kind = ''] = disposition.split(';', 1)
  if (kind.trim().toLowerCase() !== 'form-data') return new Map()
  return new Map(
    [...disposition.matchAll(parameter)].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted === undefined ? bare : unquoted(quoted),
    ]),
  )
}

const escapes: readonly (readonly [string, string])[] = [
  ['\\"', '"'],
  ['%22', '"'],
  ['%0D', '\r'],
  ['%0A', '\n'],
]

/**
 * Browsers percent-encode these three characters, and other senders put a backslash before a quote. Nothing else is an
 * escape.
 */
const unquoted = (text: string): string =>
  escapes.reduce((plain, [escape, sign]) => plain.replaceAll(escape, sign), text)

/** `UTF-8''na%C3%AFve.txt`, as some libraries write it. */
function extendedValue(text: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(text ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
