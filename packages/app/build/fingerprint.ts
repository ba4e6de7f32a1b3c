// The sources of the app as one hash: its own files, those of our packages that it needs, and the versions of all others.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const PAGE = 'index.html'
const OURS = '@postern/'

/** Undefined without sources. By content, not by time: a fresh checkout of the same sources is not built again. */
export function fingerprintOf(directory: string): string | undefined {
  if (!existsSync(join(directory, PAGE))) return undefined
  const around = join(directory, '../..')
  const hash = createHash('sha256')
  for (const path of [...sourcesOf(directory), ...filesIn(join(around, 'package-lock.json'))]) {
    const bytes = readFileSync(path)
    hash.update(`${relative(around, path)}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('base64url')
}

const sourcesOf = (directory: string): string[] => [
  ...[PAGE, 'vite.config.ts', 'package.json', 'public', 'build', 'src'].flatMap(name => filesIn(join(directory, name))),
  ...neededBy(directory).flatMap(needed => [...filesIn(join(needed, 'src')), ...filesIn(join(needed, 'package.json'))]),
  ...filesIn(join(directory, '../../patches')),
]

/** Our packages that a package depends on, each once, by its folder next to that one. */
function neededBy(directory: string): string[] {
  const found = new Set([directory])
  for (const each of found)
    for (const name of Object.keys(dependenciesOf(each)))
      if (name.startsWith(OURS)) found.add(join(each, '..', name.slice(OURS.length)))
  return [...found].slice(1).sort()
}

function dependenciesOf(directory: string): object {
  const path = join(directory, 'package.json')
  if (!existsSync(path)) return {}
  const { dependencies } = JSON.parse(readFileSync(path, 'utf8')) as { dependencies?: object }
  return dependencies ?? {}
}

/** All files of a folder, or the file itself; empty if the path does not exist. */
function filesIn(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
  } catch {
    return existsSync(path) ? [path] : []
  }
}
