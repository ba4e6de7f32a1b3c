// Simulates a power cut: a directory keeps all synced data, and some of the rest.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRandom } from '@postern/testkit'
import { Disk, Folder } from './disk.ts'
import { type DiskChange, readDiskLog } from './read-disk-log.ts'

/** One life of a part: the directory before it, and its changes there. */
export type Life = { directory: string; before: string; log: string }

/**
 * Replaces the directory by its state after the cut; the part's own view of it is gone. Returns the number of
 * changes.
 */
export function cutPower(life: Life, random: SeededRandom): number {
  return rebuild(life, { into: life.directory, random })
}

type Rebuilding = { into: string; random: SeededRandom; changesMax?: number }

/** `changesMax`: as if the power had failed after this many. */
export function rebuild(
  { directory, before, log }: Life,
  { into, random, changesMax = Number.MAX_SAFE_INTEGER }: Rebuilding,
): number {
  const disk = new Disk(directory)
  for (const { path, bytes } of entriesOf(before)) disk.place(join(directory, path), bytes)
  const changes = changesOf(log).slice(0, changesMax)
  for (const change of changes) disk.apply(change)
  rmSync(into, { recursive: true, force: true })
  const folders = disk.namesAfter(random.below(disk.unsafeNames + 1))
  write(disk.root, { path: into, folders, random })
  return changes.length
}

/** A part that was killed before it had opened anything has no log. */
const changesOf = (log: string): DiskChange[] => (existsSync(log) ? readDiskLog(log) : [])

type Left = { path: string; folders: ReturnType<Disk['namesAfter']>; random: SeededRandom }

function write(folder: Folder, { path, folders, random }: Left): void {
  mkdirSync(path, { mode: 0o700 })
  for (const [name, entry] of folders.get(folder) ?? []) {
    const at = join(path, name)
    if (entry instanceof Folder) write(entry, { path: at, folders, random })
    else writeFileSync(at, entry.afterCut(random), { mode: 0o600 })
  }
}

/** Folders before their content, with relative paths. */
function entriesOf(directory: string): { path: string; bytes: Uint8Array | undefined }[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map(entry => {
      const path = join(entry.parentPath, entry.name)
      return { path: path.slice(directory.length), bytes: entry.isFile() ? readFileSync(path) : undefined }
    })
    .toSorted((one, other) => one.path.split('/').length - other.path.split('/').length)
}
