// The files of a relay besides its database: the bytes of blobs, and the invites that its operator has made.
import { type FileHandle, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isBlobId, systemCodeOf } from '@postern/protocol'
import { completeBlobs, relayFiles } from '@postern/relay'
import type { ArchiveFile } from './archive/write-archive.ts'
import { piecesOf } from './file-pieces.ts'

const INVITE = /^[0-9a-f]{64}$/

const blobPath = (blob: string): string => `${relayFiles.blobs}/${blob.slice(0, 2)}/${blob}`
const invitePath = (name: string): string => `${relayFiles.invites}/${name}`

export function isBlobPath(path: string): boolean {
  const blob = path.split('/').at(-1) ?? ''
  return isBlobId(blob) && path === blobPath(blob)
}

export function isInvitePath(path: string): boolean {
  const name = path.split('/').at(-1) ?? ''
  return INVITE.test(name) && path === invitePath(name)
}

/** Exactly the blobs that are complete in the copy: those swept or deleted since then are skipped. */
export async function* relayOthers({
  directory,
  copy,
  missing,
}: {
  directory: string
  copy: string
  missing: () => void
}) {
  const invites = (await readdir(join(directory, relayFiles.invites)).catch(() => [])).filter(name => INVITE.test(name))
  for (const name of invites) yield* fileAt(directory, { path: invitePath(name), missing })
  for (const { blob, bytes } of completeBlobs(copy)) yield* fileAt(directory, { path: blobPath(blob), bytes, missing })
}

type Wanted = { path: string; bytes?: number; missing: () => void }

async function* fileAt(directory: string, { path, bytes, missing }: Wanted): AsyncGenerator<ArchiveFile> {
  const file = await opened(join(directory, path))
  if (!file) return missing()
  try {
    const { size } = await file.stat()
    // The size differs from the database: half a blob would be served as a whole one.
    if (bytes !== undefined && size !== bytes) return missing()
    yield { path, bytes: size, content: piecesOf(file, size) }
  } finally {
    await file.close()
  }
}

async function opened(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
