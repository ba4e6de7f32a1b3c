// A consistent copy of a database and its files, in a temporary folder: for a backup, and for the doctor.
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { backupLimits, systemClock } from '@postern/protocol'
import { copyDatabase, type OnBytes } from './copy-database.ts'
import type { DataKind } from './data-kinds.ts'

const SCRATCH_PREFIX = '.backup-'

export async function makeScratch(within: string): Promise<string> {
  await sweepLeftovers(within)
  return await mkdtemp(join(within, SCRATCH_PREFIX))
}

/** A kill leaves a copy behind, with messages that were deleted since. */
async function sweepLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(SCRATCH_PREFIX)) continue
    const path = join(folder, name)
    const madeMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (madeMs < systemClock.nowMs() - backupLimits.leftoverMs) await rm(path, { recursive: true, force: true })
  }
}

type Gathering = { kind: DataKind; scratch: string; onBytes?: OnBytes }

/** Throws `backup-…`, `database-…`. */
export async function gatherCopy(directory: string, { kind, scratch, onBytes }: Gathering): Promise<void> {
  await copyDatabase({ kind, directory, to: join(scratch, kind.database), onBytes })
  for (const name of kind.beside) await copyFile(join(directory, name), join(scratch, name))
}
