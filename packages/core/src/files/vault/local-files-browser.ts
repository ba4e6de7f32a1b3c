// Stowed files in the origin's private file system: each is a separate file that is never evicted.
import { absentIsFine, coded } from '../../storage/sqlite/opfs-browser.ts'
import type { LocalFileId, VaultFile } from './file-vault.ts'

const STOWED_SUFFIX = '.stowed'

export const stowedName = (id: LocalFileId): string => `${id}${STOWED_SUFFIX}`
export const isStowed = (file: string): boolean => file.endsWith(STOWED_SUFFIX)

export async function openStowed(folder: FileSystemDirectoryHandle, id: LocalFileId): Promise<VaultFile | undefined> {
  const entry = await coded(absentIsFine(folder.getFileHandle(stowedName(id))))
  if (!entry) return undefined
  const file = await coded(entry.getFile())
  return { read: (into, at) => readFrom(file, { into, at }), close: () => Promise.resolve() }
}

export async function stowedIn(folder: FileSystemDirectoryHandle): Promise<LocalFileId[]> {
  const names = await coded(Array.fromAsync(folder.keys()))
  return names.filter(isStowed).map(name => name.slice(0, -STOWED_SUFFIX.length))
}

/** Reads from a file of the private file system into a buffer. Returns fewer bytes only where the file ends. */
export async function readFrom(file: File, { into, at }: { into: Uint8Array; at: number }): Promise<number> {
  const bytes = await coded(file.slice(at, at + into.length).arrayBuffer())
  into.set(new Uint8Array(bytes))
  return bytes.byteLength
}
