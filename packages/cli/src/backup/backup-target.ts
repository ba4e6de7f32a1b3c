// The target of a backup: a file that is complete or absent and replaces no other, a folder of them, or standard output.
import { randomUUID } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { link, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { CodedError, systemCodeOf } from '@postern/protocol'
import { UsageError } from '../usage-error.ts'
import { syncDirectory, writeNew } from './file-pieces.ts'

/** The owner of the backup, and its time. */
export type BackupLabel = { kind: string; identity: string; atMs: number }
/** Returns the place of the finished backup. */
export type BackupTarget = { write(archive: ReadableStream<Uint8Array>, made: BackupLabel): Promise<string> }
/** `keep`: how many backups of one bot or relay stay in a folder. `suffix`: of the generated names there. */
type Place = { to: string; keep: number | undefined; suffix: string }

export const STANDARD_OUTPUT = '-'

/** Throws `bad-field` for an existing file. */
export function backupTarget({ to, keep, suffix }: Place): BackupTarget {
  const isFolder = to !== STANDARD_OUTPUT && statSync(to, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder) return folderTarget(to, { keep, suffix })
  if (keep !== undefined) throw new UsageError('--keep: requires --to with an existing folder')
  if (to !== STANDARD_OUTPUT) return fileTarget(to)
  if (process.stdout.isTTY)
    throw new UsageError('--to: must not be a terminal. Pipe the backup into a program, or name a file')
  return {
    write: async archive => {
      await archive.pipeTo(Writable.toWeb(process.stdout), { preventClose: true })
      return to
    },
  }
}

/** Adds one to a series; the oldest are removed once the new one is on the disk. */
function folderTarget(folder: string, { keep, suffix }: Omit<Place, 'to'>): BackupTarget {
  return {
    write: async (archive, made) => {
      const row = `${made.kind}-${made.identity.slice(0, IDENTITY_CHARACTERS)}-`
      const path = await fileTarget(join(folder, `${row}${stampOf(made.atMs)}${suffix}`)).write(archive, made)
      if (keep !== undefined) await keepNewest(folder, { row, keep })
      return path
    },
  }
}

const IDENTITY_CHARACTERS = 12

/** Their alphabetical order is the order in time. */
const stampOf = (atMs: number): string => new Date(atMs).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '')

async function keepNewest(folder: string, { row, keep }: { row: string; keep: number }): Promise<void> {
  const ours = (await readdir(folder)).filter(
    name => name.startsWith(row) && /^\d{8}T\d{6}Z\.(age|tar)$/.test(name.slice(row.length)),
  )
  for (const name of ours.toSorted().slice(0, -keep)) await rm(join(folder, name), { force: true })
}

function fileTarget(path: string): BackupTarget {
  if (existsSync(path)) throw taken(path)
  return {
    write: async archive => {
      const part = `${path}.${randomUUID().slice(0, 8)}.part`
      try {
        await writeNew(part, archive)
        await giveName(part, path)
        await syncDirectory(dirname(path))
        return path
      } finally {
        await rm(part, { force: true })
      }
    },
  }
}

const taken = (path: string): CodedError =>
  new CodedError('bad-field', { field: '--to', rule: `${path} already exists, and a backup does not overwrite it` })

/** Unlike a rename, a link replaces nothing. Some file systems have no links. */
async function giveName(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST' || existsSync(path)) throw taken(path)
    await rename(part, path)
  }
}
