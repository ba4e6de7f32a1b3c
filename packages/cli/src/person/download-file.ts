// Downloads the file of a message to this machine: complete under its path, or not at all. The next start removes
// leftovers of a kill.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { FileInfo } from '@postern/bot-api/objects'
import type { Client, OpenFile } from '@postern/core'
import { CodedError, personLimits, unlessAborted } from '@postern/protocol'
import type { FieldsOf } from './command-fields.ts'
import { badPath, fileFault } from './path-faults.ts'

/** Paths of files that are being written, as keys. */
const SHELF = 'downloads'
/** A timeout of silence: while bytes arrive, a download continues. */
const within = { timeoutMs: personLimits.commandWithinMs }

export async function downloadFile(
  client: Client,
  { chat, message, path }: FieldsOf<'download'>,
  stop: AbortSignal,
): Promise<Pick<FileInfo, 'name' | 'type' | 'size' | 'kind'>> {
  const target = resolve(path)
  await assertReplaceable(target)
  const part = join(dirname(target), `.${randomUUID()}.part`)
  const records = client.records(SHELF)
  await records.change({ key: part, put: '' })
  try {
    // Before anything is fetched: an unwritable place is reported immediately.
    await using handle = await forPath(open(part, 'wx', 0o666))
    const file = await unlessAborted(client.files.open(chat, message, within), stop)
    await writeAll(handle, { file, stop })
    await forPath(rename(part, target))
    const { name, type, size, kind } = file
    return { name, type, size, kind }
  } finally {
    await rm(part, { force: true }).catch(() => undefined)
    await records.change({ key: part, remove: true })
  }
}

/** Only a plain file is replaced, never a device or a directory. */
async function assertReplaceable(target: string): Promise<void> {
  const there = await stat(target).catch(() => undefined)
  if (there && !there.isFile()) throw badPath('names something that is not a file')
}

async function writeAll(handle: FileHandle, { file, stop }: { file: OpenFile; stop: AbortSignal }): Promise<void> {
  for await (const bytes of file.readBriefly()) {
    if (stop.aborted) throw new CodedError('stopping')
    await forPath(handle.writeFile(bytes))
  }
  await forPath(handle.sync())
}

async function forPath<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    throw fileFault(error, 'written')
  })
}

/** Before anything is downloaded: removes the leftovers of a killed process. */
export async function sweepDownloads(client: Client): Promise<void> {
  const records = client.records(SHELF)
  for (const { key: part } of records.all()) {
    await rm(part, { force: true }).catch(() => undefined)
    // The record stays if the file could not be removed now.
    if (!existsSync(part)) await records.change({ key: part, remove: true })
  }
}
