// Notes the time of a backup in the data directory itself, for `postern doctor` and the metrics.
import type { Stats } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCodeOf } from '@postern/protocol'
import { BACKUP_NOTE_NAME } from '@postern/protocol/node'

/** A written backup counts even without its note: undefined, or the reason why there is no note. */
export async function noteBackup(directory: string, madeMs: number): Promise<string | undefined> {
  const path = join(directory, BACKUP_NOTE_NAME)
  const unnamed = `${path}.new`
  try {
    await rm(unnamed, { force: true })
    await writeFor(await stat(directory), unnamed, `${new Date(madeMs).toISOString()}\n`)
    await rename(unnamed, path)
    return undefined
  } catch (error) {
    return systemCodeOf(error) || String(error)
  }
}

/** A note by root is given to the directory's owner, and only as a new file: a link there could lead root elsewhere. */
async function writeFor({ uid, gid }: Stats, path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(text)
  if (process.getuid?.() === 0) await file.chown(uid, gid)
}
