// Opens a file of this machine that a command names.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { badPath, fileFault } from './path-faults.ts'

export async function openToRead(path: string): Promise<FileHandle> {
  // Non-blocking: a pipe without a writer would never open.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw fileFault(error, 'read')
  })
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw badPath('must be a file')
}
