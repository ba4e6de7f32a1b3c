// The part of the project's lock file for the shipped folder: an installation gets the versions that were tested.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const LOCK = join(import.meta.dirname, '../../../package-lock.json')

type Locked = { dependencies?: Names | undefined; optionalDependencies?: Names | undefined }
type Names = Readonly<Record<string, string>>
type Lock = { lockfileVersion: number; packages: Record<string, Locked> }

type Shipped = Locked & { name: string; version: string }

export function shrinkwrapOf(shipped: Shipped): object {
  const { lockfileVersion, packages } = JSON.parse(readFileSync(LOCK, 'utf8')) as Lock
  const { name, version } = shipped
  const needed = neededBy(shipped, packages)
  const entries = [...needed].toSorted().map(place => [place, packages[place]] as const)
  return { name, version, lockfileVersion, requires: true, packages: { '': shipped, ...Object.fromEntries(entries) } }
}

/** Paths in the lock file, for every platform that has one there. */
function neededBy(shipped: Locked, packages: Lock['packages']): Set<string> {
  const found = new Set<string>()
  const add = (by: Locked, from: string): void => {
    for (const name of Object.keys({ ...by.dependencies, ...by.optionalDependencies })) {
      const place = placeOf(name, { from, packages })
      const locked = place === undefined ? undefined : packages[place]
      if (place === undefined || !locked || found.has(place)) continue
      found.add(place)
      add(locked, place)
    }
  }
  add(shipped, '')
  return found
}

/** As Node resolves it: next to the package that needs it, or further up. */
function placeOf(name: string, { from, packages }: { from: string; packages: Lock['packages'] }): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (Object.hasOwn(packages, place)) return place
    if (folder === '') return undefined
  }
}
