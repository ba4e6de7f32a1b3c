// The words of a push: what the service worker finds in its table opens what the relay sends.
import type { ChatId } from '@postern/protocol'
import { openPreview, readPush } from '@postern/protocol/preview'
import { WITHIN } from '@postern/testkit'
import { PushService } from '@postern/testkit/push-service'
import { expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { meet } from './app-world.ts'

const test = base
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from this pattern which fixtures are needed
  .extend('service', async ({}, { onCleanup }) => {
    const service = await PushService.start()
    onCleanup(() => service.close())
    return service
  })
  .extend('worldOptions', ({ service }) => ({ relayPush: { hosts: [service.origin] } }))

test('[APP-4.14] the keys of the table open the words that the relay sends while the app is away', async ({
  started: { app, page },
  bob,
  service,
}) => {
  const chat = await meet(page, bob)
  await page.call('setSettings', { notify: 'words' })
  const browser = service.subscribe()
  const { endpoint, p256dh, auth } = browser
  await page.call('setPush', { address: { endpoint, p256dh, auth } })
  // With this message bob knows that his words are wanted.
  await page.call('send', { chat, text: 'tell me' })
  const toApp = app.account.client.account as string as ChatId
  await expect.poll(() => bob.texts(toApp)).toEqual(['tell me'])
  app.wire.cut()
  await bob.client.messages.sendText(toApp, { text: 'the disk is full' }, WITHIN)
  const [push] = await service.receivedBy(browser, 1)
  if (!push) throw new Error('nothing was pushed')
  const read = readPush(JSON.stringify(browser.open(push)))
  if (!read) throw new Error('the push cannot be read')
  await expect.poll(() => app.pushShelf.table?.keys).toHaveLength(1)
  const keys = app.pushShelf.table?.keys ?? []
  const opened = await openPreview(async (group, epoch) => {
    const found = keys.find(key => key.group === group && key.epoch === epoch)
    return found && crypto.subtle.importKey('raw', new Uint8Array(found.key), 'AES-GCM', false, ['decrypt'])
  }, read)
  expect(opened).toEqual({ text: 'the disk is full' })
})
