// The kinds of data that can be backed up: their files, the lock of their database, and the check of a copy.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { accountFiles, checkStored, lockStored, storedSchema } from '@postern/core/node'
import { CodedError } from '@postern/protocol'
import { checkStoredRelay, lockStoredRelay, prepareRestoredRelay, relayFiles, storedRelaySchema } from '@postern/relay'
import type { BackupKind } from './archive/manifest.ts'
import type { ArchiveFile } from './archive/write-archive.ts'
import { isBlobPath, isInvitePath, relayOthers } from './relay-files.ts'

export type DataCheck = { schema: number; identity: string }

export type DataKind = {
  readonly kind: BackupKind
  readonly database: string
  /** Small files next to the database that belong to it. */
  readonly beside: readonly string[]
  /** If nothing runs. */
  lock(directory: string): { close(): void }
  /** Throws for data that is damaged, or newer than this program. */
  check(directory: string): DataCheck
  /** The version of its tables. Reads the first page alone, and throws as a start does for a wrong key or version. */
  schema(directory: string): number
  /** Other files that belong to it, after its database was copied: `missing` is called for each that is gone by then. */
  others(place: { directory: string; copy: string; missing: () => void }): AsyncIterable<ArchiveFile>
  /** Whether a backup may contain such a file: a forged path could lead out of the directory. */
  has(path: string): boolean
  /** The file of a restored directory that is named last: without it nothing starts there. */
  readonly last: string
  /** Applies the changes that a restored directory needs. */
  prepare(directory: string): void
}

const gateway: DataKind = {
  kind: 'gateway',
  database: accountFiles.database,
  beside: [accountFiles.key],
  lock: lockStored,
  check: directory => {
    const { schema, account } = checkStored(directory)
    return { schema, identity: account ?? '' }
  },
  schema: storedSchema,
  // Its folder of files is a cache: they are fetched again, and an upload in progress never had a message.
  async *others() {},
  has: path => path === accountFiles.database || path === accountFiles.key,
  last: accountFiles.key,
  // The client finds out itself, from the relay's state.
  prepare: () => undefined,
}

const relay: DataKind = {
  kind: 'relay',
  database: relayFiles.database,
  beside: [],
  lock: lockStoredRelay,
  check: directory => {
    const { schema, incarnation } = checkStoredRelay(directory)
    return { schema, identity: incarnation }
  },
  schema: storedRelaySchema,
  others: relayOthers,
  has: path => path === relayFiles.database || isBlobPath(path) || isInvitePath(path),
  last: relayFiles.database,
  prepare: prepareRestoredRelay,
}

const kinds: readonly DataKind[] = [gateway, relay]

const wrong = (rule: string): CodedError => new CodedError('bad-field', { field: '--data', rule })

export function kindOf(kind: BackupKind): DataKind | undefined {
  return kinds.find(one => one.kind === kind)
}

export const hasDatabase = (directory: string): boolean =>
  kinds.some(({ database }) => existsSync(join(directory, database)))

/** Throws `bad-field` if there is no data of ours. */
export function kindIn(directory: string): DataKind {
  const found = kinds.filter(({ database }) => existsSync(join(directory, database)))
  const [only, ...more] = found
  if (!only) throw wrong(`there is no gateway and no relay in ${directory}`)
  if (more.length > 0) throw wrong(`there is more than one database in ${directory}`)
  return only
}
