// The space that the account takes on this device, and the removal of files that can be fetched again.
import type { BlobId, ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { messageSizes, namedBlobs } from '../messages/stored-sizes.ts'

export type ChatUse = { chat: ChatId; messages: number; messageBytes: number; files: number; fileBytes: number }

export type StorageUse = {
  /** Everything but files: messages, keys, groups and indexes. */
  databaseBytes: number
  /** Files that can be fetched again, as long as the relay has them. */
  fileBytes: number
  chats: ChatUse[]
}

type Measured = Pick<Core, 'store' | 'files'>

export function storageUse({ store, files }: Measured): StorageUse {
  const chats = new Map<ChatId, ChatUse>()
  for (const { chat, messages, bytes } of messageSizes(store))
    chats.set(chat, { chat, messages, messageBytes: bytes, files: 0, fileBytes: 0 })
  const kept = files.kept()
  for (const { chat, blob } of namedBlobs(store)) {
    const use = chats.get(chat)
    const bytes = kept.get(blob)
    if (!use || bytes === undefined) continue
    use.files += 1
    use.fileBytes += bytes
  }
  const [pages = 0, pageBytes = 0] = ['page_count', 'page_size'].map(pragma =>
    Number(Object.values(store.get<object>(`PRAGMA ${pragma}`) ?? {})[0]),
  )
  return { databaseBytes: pages * pageBytes, fileBytes: files.keptBytes, chats: [...chats.values()] }
}

export type RemovedFiles = { files: number; bytes: number }

/** Files whose newest message is older. Files that no message names yet are about to be sent, and stay. */
export async function removeFilesBefore({ store, files }: Measured, ts: number): Promise<RemovedFiles> {
  const kept = files.kept()
  const old = namedBlobs(store).filter(named => named.ts < ts && kept.has(named.blob))
  for (const { blob } of old) await files.dropKept(blob)
  return { files: old.length, bytes: old.reduce((sum, { blob }) => sum + sizeIn(kept, blob), 0) }
}

const sizeIn = (kept: ReadonlyMap<BlobId, number>, blob: BlobId): number => kept.get(blob) ?? 0
