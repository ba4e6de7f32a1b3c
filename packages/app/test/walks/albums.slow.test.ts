// Photos that are sent together: one bubble with one caption, and each photo is a message.
import { expect } from 'vitest'
import { findingsOf } from './axe.ts'
import { faultsOfShape } from './page-shape.ts'
import { samplePhoto } from './sample-photo.ts'
import { test } from './walk-test.ts'

test('[APP-12.18] photos that are sent together are one bubble, and each of them a message', async ({
  bot,
  alice: { person: alice },
}) => {
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  await alice.presses('Attach')
  const choosing = page.waitForEvent('filechooser')
  await alice.chooses('Photo or video')
  const photos = ['one', 'two', 'three'].map((name, at) => ({
    name: `${name}.png`,
    mimeType: 'image/png',
    buffer: Buffer.from(samplePhoto({ width: 300 + at, height: 200 })),
  }))
  await (await choosing).setFiles(photos)
  const dialog = alice.dialog('Send 3 files?')
  await dialog.getByRole('textbox', { name: 'Caption' }).fill('From the island.')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()

  const album = page.locator('.album')
  await album.getByRole('article').nth(2).waitFor()
  await page.locator('.bubble', { has: album }).getByText('From the island.').waitFor()
  // The bot receives three messages.
  const files = bot.gateway.client.messages.media(chat as never, { kinds: ['photo'], limit: 9 })
  expect(files.map(({ file, text }) => [file?.name, text])).toEqual([
    ['three.png', undefined],
    ['two.png', undefined],
    ['one.png', 'From the island.'],
  ])
  await expect.poll(() => album.locator('.photo-body-picture').count()).toBe(3)
  expect(await faultsOfShape(page)).toEqual([])
  expect(await findingsOf(page)).toEqual([])

  await alice.presses('View photo two.png')
  const viewer = alice.dialog('Photo')
  await viewer.getByRole('img', { name: 'two.png' }).waitFor()
  await viewer.getByRole('button', { name: 'Close' }).click()
  await alice.button('View photo two.png').click({ button: 'right' })
  await alice.chooses('Delete')
  await alice.dialog('Delete this message?').getByRole('button', { name: 'Delete for everyone' }).click()
  await expect.poll(() => album.getByRole('article').count()).toBe(2)
  await page.locator('.bubble', { has: album }).getByText('From the island.').waitFor()
})

test('[APP-12.21] an album of a bot is one bubble, and the viewer leads from one photo to the next', async ({
  bot,
  gateway,
  alice: { person: alice },
}) => {
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  const form = new FormData()
  for (const name of ['pier.png', 'boat.png']) {
    const bytes = Buffer.from(samplePhoto({ width: 300, height: 200 }))
    form.append('file', new Blob([bytes], { type: 'image/png' }), name)
  }
  form.set('caption', 'Seen today.')
  const headers = { authorization: `Bearer ${gateway.token}` }
  const sent = await fetch(`${gateway.url}/v1/chats/${chat}/albums`, { method: 'POST', headers, body: form })
  expect(sent.status).toBe(200)
  const album = page.locator('.album')
  await expect.poll(() => album.getByRole('article').count()).toBe(2)
  await page.locator('.bubble', { has: album }).getByText('Seen today.').waitFor()
  await alice.presses('View photo pier.png')
  const viewer = alice.dialog('Photo')
  await viewer.getByRole('img', { name: 'pier.png' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await viewer.getByRole('img', { name: 'boat.png' }).waitFor()
  await viewer.getByRole('button', { name: 'Close' }).click()
})
