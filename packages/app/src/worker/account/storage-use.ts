// Measures the space of the account on this device, and removes files that can be fetched again.
import { appLimits } from '@postern/protocol'
import type { StorageUseView } from '../../contract/objects.ts'
import type { Account } from './open-account.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export async function readStorageUse({ client, keeping }: Account): Promise<StorageUseView> {
  await keeping.look()
  const { databaseBytes, fileBytes, chats } = client.files.storageUse()
  const names = new Map(client.chats.list().map(({ id, name }) => [id, name]))
  const messageBytes = chats.reduce((sum, use) => sum + use.messageBytes, 0)
  const shown = chats.flatMap(use => {
    const name = names.get(use.chat)
    const bytes = use.messageBytes + use.fileBytes
    return name === undefined ? [] : [{ id: use.chat, name, messages: use.messages, files: use.files, bytes }]
  })
  return {
    messageBytes,
    fileBytes,
    otherBytes: Math.max(0, databaseBytes - messageBytes),
    chats: shown.toSorted((one, other) => other.bytes - one.bytes).slice(0, appLimits.largestChatsMax),
  }
}

/** By the time of the message: a person knows that, and not when a file was downloaded. */
export async function removeFiles({ client, keeping, platform }: Account, olderThanDays: number) {
  // All of them, also those whose time is a little ahead of this clock.
  const before = olderThanDays === 0 ? Infinity : platform.clock.nowMs() - olderThanDays * DAY_MS
  const removed = await client.files.removeBefore(before)
  await keeping.look()
  return removed
}
