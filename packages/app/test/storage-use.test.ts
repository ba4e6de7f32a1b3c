// The space of the account on this device, and the removal of files that can be downloaded again.

import type { ChatId } from '@postern/protocol'
import type { TestPerson } from '@postern/testkit'
import { expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { meet, type TestPage } from './app-world.ts'

const file = { name: 'song.bin', type: 'application/octet-stream', size: 700_000, kind: 'file' as const }

/** Resolves when the bot has it, and when the app knows that: the message is in the history only then. */
async function sendFile(page: TestPage, chat: ChatId, bot: TestPerson) {
  await page.call('sendFile', { chat, bytes: new Blob([new Uint8Array(file.size)]), file, text: 'listen' })
  const outgoing = page.watch('outgoing', chat)
  await expect.poll(() => outgoing.value).toEqual([])
  return await bot.hears('listen')
}

test('[APP-13.10] storage is listed by kind and by chat, the largest first', async ({
  started: { page },
  bot,
  bob,
}) => {
  const small = await meet(page, bob)
  await page.call('send', { chat: small, text: 'words' })
  const outgoing = page.watch('outgoing', small)
  await expect.poll(() => outgoing.value).toEqual([])
  const large = await meet(page, bot)
  await sendFile(page, large, bot)
  const { messageBytes, fileBytes, otherBytes, chats } = await page.call('storageUse', {})
  expect(fileBytes).toBeGreaterThan(file.size)
  expect(chats.map(({ id, messages, files }) => [id, messages, files])).toEqual([
    [large, 1, 1],
    [small, 1, 0],
  ])
  expect(chats[0]?.bytes).toBeGreaterThan(file.size)
  expect(messageBytes).toBeGreaterThan(0)
  expect(otherBytes).toBeGreaterThan(messageBytes)
})

test('[APP-13.11] files are removed by the age of their message, and downloaded again when they are opened', async ({
  started: { page },
  bot,
}) => {
  const chat = await meet(page, bot)
  const { id: message } = await sendFile(page, chat, bot)
  expect(await page.call('removeFiles', { olderThanDays: 1 })).toEqual({ files: 0, bytes: 0 })
  expect(await page.call('removeFiles', { olderThanDays: 0 })).toMatchObject({ files: 1 })
  expect(await page.call('storageUse', {})).toMatchObject({ fileBytes: 0, chats: [{ messages: 1, files: 0 }] })
  const { bytes } = await page.call('openFile', { chat, message })
  expect(bytes.size).toBe(file.size)
  await expect(page.call('removeFiles', { olderThanDays: -1 })).rejects.toThrow('call-malformed')
})
