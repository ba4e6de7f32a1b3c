// The common part of restoring and checking a backup: its files are written somewhere, and then checked as a whole.
import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CodedError, isCoded } from '@postern/protocol'
import type { Manifest } from './archive/manifest.ts'
import { type ReadFile, readArchive, refused } from './archive/read-archive.ts'
import { opened } from './archive/seal.ts'
import type { RestoreSettings } from './backup-settings.ts'
import { STANDARD_OUTPUT as STANDARD_INPUT } from './backup-target.ts'
import { type DataKind, kindOf } from './data-kinds.ts'
import { piecesOf } from './file-pieces.ts'
import { type BackupProgress, bytesStep, checkStep } from './progress.ts'

export type UnpackResult = { manifest: Manifest; kind: DataKind; bytes: number }

type Unpacking = {
  settings: RestoreSettings
  progress: BackupProgress
  /** Writes the file below the folder, or only reads it. */
  write(file: ReadFile, kind: DataKind): Promise<void>
  folder: string
}

/** Throws `backup-refused` for a backup that is damaged, truncated, of another kind, or not what its manifest says. */
export async function unpack({ settings, progress, write, folder }: Unpacking): Promise<UnpackResult> {
  let kind: DataKind | undefined
  let bytes = 0
  const counted = async function* (content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      bytes += piece.length
      progress.now(() => bytesStep('read', bytes))
      yield piece
    }
  }
  const tar = await opened(archiveAt(settings.from), settings.opening)
  const manifest = await readArchive(tar, {
    onManifest: given => {
      kind = kindOf(given.kind)
    },
    onFile: async file => {
      if (!kind?.has(file.path)) throw refused(`${JSON.stringify(file.path)} does not belong in it`)
      await write({ ...file, content: counted(file.content) }, kind)
    },
  })
  if (!kind) throw refused('it is not a backup of Postern')
  const { size = 0 } = statSync(join(folder, kind.database), { throwIfNoEntry: false }) ?? {}
  progress.before(checkStep(size), size)
  assertIsWhat(manifest, kind, folder)
  return { manifest, kind, bytes }
}

/** The manifest is read first, and anybody can write one: the details shown of a backup must match its content. */
function assertIsWhat(manifest: Manifest, kind: DataKind, folder: string): void {
  for (const name of [kind.database, ...kind.beside])
    if (!existsSync(join(folder, name))) throw refused(`${name} is missing in it`)
  const { schema, identity } = checked(kind, folder)
  if (schema !== manifest.schema || identity !== manifest.identity) throw refused('it does not match its manifest')
}

function checked(kind: DataKind, folder: string) {
  try {
    return kind.check(folder)
  } catch (error) {
    if (isCoded(error, 'database-damaged')) throw refused('the database in it is damaged', error)
    if (isCoded(error, 'database-key-wrong', 'database-key-missing'))
      throw refused('the key in it does not belong to its database', error)
    if (isCoded(error, 'database-newer')) throw refused('a newer version of this program wrote its database', error)
    if (isCoded(error, 'database-too-old'))
      throw refused('a version of this program that is too old wrote its database', error)
    throw error
  }
}

async function* archiveAt(from: string): AsyncGenerator<Uint8Array> {
  if (from === STANDARD_INPUT) return yield* process.stdin
  const file = await open(from, 'r').catch((cause: unknown) => {
    throw new CodedError('bad-field', { field: 'FILE', rule: `${from} cannot be read` }, { cause })
  })
  try {
    yield* piecesOf(file, (await file.stat()).size)
  } finally {
    await file.close()
  }
}
