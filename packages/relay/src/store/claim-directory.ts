// Restricts the relay's files to its own user, even in an existing directory and regardless of the umask.
import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { CodedError } from '@postern/protocol'
import { CONTROL_NAME } from '@postern/protocol/control'
import { BACKUP_NOTE_NAME, makeDataDirectory, unusable } from '@postern/protocol/node'
import type { StoreKind } from './relay-store.ts'

export const DATABASE_NAME = 'relay.db'
export const BLOBS_NAME = 'blobs'
export const INVITES_NAME = 'invites'
export const DATABASE_TIMELINE_NAME = 'database-timeline'

/** SQLite gives the files beside the database the mode of the database. */
const BESIDE = ['-wal', '-shm', '-journal'].map(end => `${DATABASE_NAME}${end}`)
const FILES = [DATABASE_NAME, ...BESIDE, CONTROL_NAME, BACKUP_NOTE_NAME, DATABASE_TIMELINE_NAME]
const DIRECTORIES = [BLOBS_NAME, INVITES_NAME]
const OPEN_TO_OTHERS = 0o077

/**
 * Creates the directory if needed, and closes the relay's files to other users.
 * A directory that also holds other files keeps its mode.
 */
export function claimDataDirectory(directory: string, { kind }: { kind: StoreKind }): void {
  makeDataDirectory(directory)
  try {
    // Created here, before SQLite would create it readable for all.
    if (kind === 'sqlite') closeSync(openSync(join(directory, DATABASE_NAME), 'a', 0o600))
    closeToOthers(directory)
  } catch (error) {
    throw unusable(directory, error)
  }
}

function closeToOthers(directory: string): void {
  const own = new Set([...FILES, ...DIRECTORIES])
  if (readdirSync(directory).every(name => own.has(name))) close(directory, 0o700)
  for (const name of FILES) close(join(directory, name), 0o600)
  for (const name of DIRECTORIES) close(join(directory, name), 0o700)
}

function close(path: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found || found.isSymbolicLink() || !isOpen(found)) return
  try {
    chmodSync(path, mode)
  } catch (cause) {
    const rule = `other users can read ${path}, and it belongs to another user. Make the relay's user its owner`
    throw new CodedError('bad-field', { field: '--data', rule }, { cause })
  }
}

const isOpen = ({ mode }: Stats): boolean => (mode & OPEN_TO_OTHERS) !== 0
