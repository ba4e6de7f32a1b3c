// The files of a data directory as bytes: their unencrypted content, and whether anything touched them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .toSorted()

/** Everything that a touch could change, except the time of the last access. */
export const fingerprint = (directory: string): string[] =>
  filesIn(directory).map(path => {
    const { mode, mtimeMs, ino } = statSync(path)
    return `${path} ${mode.toString(8)} ${mtimeMs} ${ino} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`
  })

/** Names of the needles that are in a file, as they are or in a common text form: `name in path as form`. */
export function foundIn(directory: string, needles: Record<string, string | Uint8Array>): string[] {
  return filesIn(directory).flatMap(path => {
    const bytes = readFileSync(path)
    return Object.entries(needles).flatMap(([name, needle]) =>
      Object.entries(formsOf(needle))
        .filter(([, form]) => bytes.includes(form))
        .map(([form]) => `${name} in ${path} as ${form}`),
    )
  })
}

function formsOf(needle: string | Uint8Array): Record<string, Buffer> {
  const plain = Buffer.from(needle)
  const forms: Record<string, Buffer> = {
    bytes: plain,
    hex: Buffer.from(plain.toString('hex')),
    ...(typeof needle === 'string' && { 'UTF-16': Buffer.from(needle, 'utf16le') }),
  }
  for (const shift of [0, 1, 2])
    for (const encoding of ['base64', 'base64url'] as const)
      forms[`${encoding} at ${shift}`] = Buffer.from(insideOfBase64(plain, { shift, encoding }))
  return forms
}

/** The characters that depend on the needle alone, whatever surrounds it. */
function insideOfBase64(
  plain: Buffer,
  { shift, encoding }: { shift: number; encoding: 'base64' | 'base64url' },
): string {
  const text = Buffer.concat([Buffer.alloc(shift), plain])
    .toString(encoding)
    .replaceAll('=', '')
  const isEven = (shift + plain.length) % 3 === 0
  return text.slice(shift === 0 ? 0 : shift + 1, isEven ? undefined : -1)
}
