// Unique words, and a search for them in every file of a folder, whatever wrote it.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Random: compression cannot shorten it, so that a compressed file contains it literally. */
export const newCanary = (what: string): string => `${what}${randomBytes(12).toString('hex')}`

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))

/** A browser removes files meanwhile. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

/** The files that contain each of them, in UTF-8 or UTF-16. */
export function findIn(directory: string, canaries: readonly string[]): string[] {
  return filesIn(directory).flatMap(path => {
    const content = contentOf(path)
    const holds = (canary: string): boolean =>
      (['utf8', 'utf16le'] as const).some(encoding => content.includes(Buffer.from(canary, encoding)))
    return canaries.filter(holds).map(canary => `${canary} in ${relative(directory, path)}`)
  })
}
