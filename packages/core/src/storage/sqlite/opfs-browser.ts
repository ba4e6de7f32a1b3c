// The origin's private file system: folders, errors, and files that another worker has not released yet.
import { CodedError, clientLimits, Deferred, systemClock } from '@postern/protocol'

/** Missing in the types of a page, because it exists in workers alone. */
export interface AccessHandle {
  read(into: Uint8Array, options: { at: number }): number
  write(bytes: Uint8Array, options: { at: number }): number
  truncate(size: number): void
  getSize(): number
  flush(): void
  close(): void
}
type WorkerFile = FileSystemFileHandle & {
  createSyncAccessHandle(): Promise<AccessHandle>
  move(name: string): Promise<void>
}
type WorkerScope = { FileSystemSyncAccessHandle: { prototype: AccessHandle } }

const inWorker = (entry: FileSystemFileHandle) => entry as WorkerFile

/** A file has one handle at a time. */
export async function accessHandle(entry: FileSystemFileHandle): Promise<AccessHandle> {
  return await inWorker(entry).createSyncAccessHandle()
}

/** Renames within the folder, and replaces a file that has the name already. */
export async function renameFile(entry: FileSystemFileHandle, name: string): Promise<void> {
  await inWorker(entry).move(name)
}

/** The prototype of all access handles of this worker. */
export const accessHandles = (): AccessHandle =>
  (globalThis as unknown as WorkerScope).FileSystemSyncAccessHandle.prototype

/** For example `postern/alice/files`. Creates each missing folder. */
export async function openFolder(path: string): Promise<FileSystemDirectoryHandle> {
  let folder = await navigator.storage.getDirectory()
  for (const name of path.split('/')) folder = await folder.getDirectoryHandle(name, { create: true })
  return folder
}

/** Removes a folder with its content. A missing folder is no error. */
export async function removeFolder(name: string): Promise<void> {
  const root = await navigator.storage.getDirectory()
  await whileHeld(() => absentIsFine(root.removeEntry(name, { recursive: true })))
}

/**
 * A worker that has just been ended holds its files for a moment longer: the work is retried until they are free.
 * Throws `NoModificationAllowedError` if they are still held after that.
 */
export async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === clientLimits.heldFileTriesMax || !isNamed(error, 'NoModificationAllowedError')) throw error
      const wait = new Deferred()
      wait.after(systemClock, clientLimits.heldFilePauseMs, () => wait.resolve())
      await wait.promise
    }
  }
}

export async function absentIsFine<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return undefined
    throw error
  }
}

/** -8 as an unsigned number, as Chromium's handles return it. */
const NO_SPACE = 2 ** 32 - 8

/**
 * A private window of Chromium returns an error as a huge number instead of throwing:
 * that must not count as bytes written.
 */
export function assertWritten(count: number, { byteLength }: { byteLength: number }): void {
  if (count > byteLength || (count === 0 && byteLength > 0))
    throw new DOMException(
      'nothing was written',
      count === 0 || count === NO_SPACE ? 'QuotaExceededError' : 'UnknownError',
    )
}

export const isFull = (error: unknown): boolean => isNamed(error, 'QuotaExceededError')

export const isNamed = (error: unknown, name: string): boolean => error instanceof DOMException && error.name === name

/** Converts a browser's storage error to ours; other errors stay as they are. */
export function browserFault(error: unknown): unknown {
  if (!(error instanceof DOMException)) return error
  return new CodedError(isFull(error) ? 'storage-full' : 'storage-failed', {}, { cause: error })
}

export async function coded<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw browserFault(error)
  }
}
