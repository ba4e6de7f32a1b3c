// `postern backup`: one file with all the data of a directory that cannot be recreated, also while it is in use.
import { open, stat } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { type Env, systemClock, systemFault } from '@postern/protocol'
import manifest from '../../package.json' with { type: 'json' }
import { manifestText } from './archive/manifest.ts'
import { assertSeal, sealed } from './archive/seal.ts'
import { type ArchiveFile, writeArchive } from './archive/write-archive.ts'
import { assertOwnDatabase } from './assert-own-database.ts'
import { noteBackup } from './backup-note.ts'
import { readBackupSettings } from './backup-settings.ts'
import { backupTarget, STANDARD_OUTPUT } from './backup-target.ts'
import { type DataCheck, type DataKind, kindIn } from './data-kinds.ts'
import { piecesOf, removeGently } from './file-pieces.ts'
import { BackupProgress, bytesStep, bytesText, checkStep } from './progress.ts'
import { gatherCopy, makeScratch } from './scratch-copy.ts'

/** Returns the exit code. Throws `UsageError`. */
export async function runBackup(argv: readonly string[], env: Env): Promise<number> {
  const settings = readBackupSettings(argv, env)
  assertSeal(settings.seal)
  await assertOwnDatabase(settings.directory, env)
  const kind = kindIn(settings.directory)
  const target = backupTarget({ ...settings, suffix: settings.seal === 'plain' ? '.tar' : '.age' })
  const progress = new BackupProgress(process.stderr, { isJson: settings.isJson, clock: systemClock })
  giveWay()
  const scratch = await makeScratch(settings.temp ?? settings.directory)
  try {
    const onBytes = (bytes: number) => progress.now(() => bytesStep('copied', bytes))
    await gatherCopy(settings.directory, { kind, scratch, onBytes })
    const { size } = await stat(join(scratch, kind.database))
    progress.before(checkStep(size), size)
    const checked = kind.check(scratch)
    const atMs = systemClock.nowMs()
    const made = { kind: kind.kind, identity: checked.identity, atMs }
    let missing = 0
    const place = { directory: settings.directory, copy: scratch, missing: () => void (missing += 1) }
    const parts = {
      manifest: manifestFor(kind, { ...checked, atMs }),
      files: filesOf(kind, place),
      onBytes: (bytes: number) => progress.now(() => bytesStep('written', bytes)),
    }
    let to = settings.to
    const write = async (tar: ReadableStream<Uint8Array>) => {
      to = await target.write(await sealed(tar, settings.seal), made)
    }
    const end = await writeArchive(parts, write)
    const why = await noteBackup(settings.directory, atMs)
    if (why !== undefined) sayUnnoted(progress, why)
    const facts = { kind: kind.kind, to, ...checked, ...end, missing }
    const stream = to === STANDARD_OUTPUT ? process.stderr : process.stdout
    const text = `Backed up the ${kind.kind}: ${end.files} files, ${bytesText(end.bytes)}${to === STANDARD_OUTPUT ? '' : `, in ${to}`}.`
    progress.say(stream, { text, facts: { done: facts } })
    return 0
  } catch (error) {
    throw systemFault(error)
  } finally {
    progress.end()
    await removeGently(scratch)
  }
}

function sayUnnoted(progress: BackupProgress, why: string): void {
  const text = `The backup is complete, but its time was not recorded in the data directory (${why}).`
  progress.say(process.stderr, { text, facts: { warning: text } })
}

/** Processes that serve people come first: on a machine with few cores they would wait for a whole time slice. */
function giveWay(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW)
  } catch {
    // Without permission the backup runs at normal priority.
  }
}

const manifestFor = ({ kind }: DataKind, { atMs, ...checked }: DataCheck & { atMs: number }): string =>
  manifestText({ kind, version: manifest.version, made_at: new Date(atMs).toISOString(), ...checked })

async function* filesOf(kind: DataKind, place: Parameters<DataKind['others']>[0]): AsyncGenerator<ArchiveFile> {
  for (const path of [...kind.beside, kind.database]) {
    await using file = await open(join(place.copy, path), 'r')
    const { size: bytes } = await file.stat()
    yield { path, bytes, content: piecesOf(file, bytes) }
  }
  yield* kind.others(place)
}
