// The relay's files are for its user alone, also in a directory that somebody made before, and whatever the umask is.
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

/** What SQLite keeps beside the database gets the mode that the database has. */
const BESIDE = ['-wal', '-shm', '-journal'].map(end => `${DATABASE_NAME}${end}`)
const FILES = [DATABASE_NAME, ...BESIDE, CONTROL_NAME, BACKUP_NOTE_NAME, DATABASE_TIMELINE_NAME]
const DIRECTORIES = [BLOBS_NAME, INVITES_NAME]
const OPEN_TO_OTHERS = 0o077

/**
 * Makes it when it is not there, and closes to others what is the relay's. A directory that holds other things as well
 * keeps its mode: it is not the relay's to close.
 */
export function claimDataDirectory(directory: string, { kind }: { kind: StoreKind }): void {
  makeDataDirectory(directory)
  try {
    // Made here, before SQLite makes it for everybody to read.
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
