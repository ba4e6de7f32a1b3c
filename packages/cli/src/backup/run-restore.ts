// `postern restore`: restores a backup into an empty directory after a full check; with `--verify` only checks it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Env, systemClock, systemFault } from '@postern/protocol'
import { type RestoreSettings, readRestoreSettings } from './backup-settings.ts'
import { writeNew } from './file-pieces.ts'
import { BackupProgress, bytesText } from './progress.ts'
import { RestoredDirectory } from './restored-directory.ts'
import { type UnpackResult, unpack } from './unpack.ts'

/** Returns the exit code. Throws `UsageError`. */
export async function runRestore(argv: readonly string[], env: Env): Promise<number> {
  const settings = readRestoreSettings(argv, env)
  const progress = new BackupProgress(process.stderr, { isJson: settings.isJson, clock: systemClock })
  const { into } = settings
  try {
    const unpacked = into === undefined ? await verify(settings, progress) : await restore(settings, { into, progress })
    progress.say(process.stdout, doneStep(unpacked, into))
    return 0
  } catch (error) {
    throw systemFault(error)
  } finally {
    progress.end()
  }
}

function doneStep({ manifest, bytes }: UnpackResult, into: string | undefined) {
  const { kind, made_at, version, schema, identity } = manifest
  const what = into === undefined ? 'This is a whole backup' : `${into} is restored from a backup`
  return {
    text: `${what} of a ${kind}, made at ${made_at}: ${bytesText(bytes)}.`,
    facts: { done: { kind, made_at, version, schema, identity, bytes } },
  }
}

async function restore(
  settings: RestoreSettings,
  { into, progress }: { into: string; progress: BackupProgress },
): Promise<UnpackResult> {
  const restored = RestoredDirectory.begin(into)
  try {
    const write = ({ path, content }: { path: string; content: AsyncIterable<Uint8Array> }) =>
      restored.write(path, content)
    const unpacked = await unpack({ settings, progress, folder: restored.staging, write })
    unpacked.kind.prepare(restored.staging)
    await restored.finish(unpacked.kind.last)
    return unpacked
  } finally {
    await restored.drop()
  }
}

/** Only files that have to be opened are written; for the rest the checksums are enough. */
async function verify(settings: RestoreSettings, progress: BackupProgress): Promise<UnpackResult> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-verify-'))
  try {
    return await unpack({
      settings,
      progress,
      folder,
      write: async ({ path, content }, kind) => {
        if (path === kind.database || kind.beside.includes(path)) return await writeNew(join(folder, path), content)
        for await (const _ of content);
      },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
