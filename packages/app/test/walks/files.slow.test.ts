// Photos, invalid pictures and videos: the output of a real browser, byte for byte as the bot has it.
import { randomBytes } from 'node:crypto'
import { contentLimits } from '@postern/protocol'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { cameraPhoto, looksLike, PLACE } from './camera-photo.ts'
import { received } from './received-file.ts'
import { samplePhoto } from './sample-photo.ts'
import { sampleVideo } from './sample-video.ts'
import { test, testInChromium } from './walk-test.ts'

type Picked = { bytes: Uint8Array; name: string; mimeType: string }

async function pick(alice: AppPerson, { bytes, name, mimeType }: Picked): Promise<void> {
  await alice.presses('Attach')
  const choosing = alice.page.waitForEvent('filechooser')
  await alice.chooses('Photo or video')
  await (await choosing).setFiles({ name, mimeType, buffer: Buffer.from(bytes) })
}

async function send(alice: AppPerson, picked: Picked): Promise<void> {
  await pick(alice, picked)
  await alice.dialog('Send this file?').getByRole('button', { name: 'Send', exact: true }).click()
}

const previewBytes = (preview: string | undefined): Buffer => Buffer.from(preview?.split(',')[1] ?? '', 'base64')

test('[APP-12.2] a photo goes out upright, not too large, and without what the camera noted', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  const photo = await cameraPhoto(alice.page, { width: 3600, height: 2400 })
  expect(photo.includes(PLACE)).toBe(true)
  await send(alice, { bytes: photo, name: 'IMG_1.jpg', mimeType: 'image/jpeg' })
  const { file, bytes } = await received(bot)
  expect(file).toMatchObject({ name: 'IMG_1.jpg', kind: 'photo', type: 'image/jpeg', width: 1707, height: 2560 })
  expect([bytes.includes('Exif'), bytes.includes(PLACE)]).toEqual([false, false])
  const { width, height, above, below } = await looksLike(alice.page, bytes)
  expect([width, height]).toEqual([1707, 2560])
  expect([(above[0] ?? 0) > 200, (below[2] ?? 0) > 200]).toEqual([true, true])
  const preview = previewBytes(file.preview)
  expect(preview.length).toBeGreaterThan(0)
  expect(preview.length).toBeLessThanOrEqual(contentLimits.previewBytesMax)
  expect([preview.includes('Exif'), preview.includes(PLACE)]).toEqual([false, false])
  const small = await looksLike(alice.page, preview)
  expect(small.height).toBeGreaterThan(small.width)
})

testInChromium(
  '[APP-12.2] a picture that cannot be read goes as a file, byte for byte',
  async ({ bot, alice: { person: alice } }) => {
    await alice.starts(bot, 'Alice')
    const broken = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from('no picture at all '.repeat(500))])
    await send(alice, { bytes: broken, name: 'broken.jpg', mimeType: 'image/jpeg' })
    const { file, bytes } = await received(bot)
    expect(file).toMatchObject({ name: 'broken.jpg', kind: 'file', size: broken.length })
    expect(Buffer.compare(bytes, broken)).toBe(0)
  },
)

test('[APP-12.6] a screenshot stays PNG', async ({ bot, alice: { person: alice } }) => {
  await alice.starts(bot, 'Alice')
  const shot = samplePhoto({ width: 900, height: 500 })
  await send(alice, { bytes: shot, name: 'screen.png', mimeType: 'image/png' })
  const { file, bytes } = await received(bot)
  expect(file).toMatchObject({ name: 'screen.png', kind: 'photo', type: 'image/png', width: 900, height: 500 })
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG')
})

testInChromium(
  '[APP-12.7] a photo that is sent as a file keeps every byte',
  async ({ bot, alice: { person: alice } }) => {
    await alice.starts(bot, 'Alice')
    const photo = await cameraPhoto(alice.page, { width: 400, height: 300 })
    await pick(alice, { bytes: photo, name: 'IMG_2.jpg', mimeType: 'image/jpeg' })
    const dialog = alice.dialog('Send this file?')
    await dialog.getByText('keep the place and time they were taken').waitFor()
    await dialog.getByRole('switch').click()
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    const { file, bytes } = await received(bot)
    expect(file).toMatchObject({ name: 'IMG_2.jpg', kind: 'file' })
    expect(Buffer.compare(bytes, photo)).toBe(0)
  },
)

test('[APP-14.24] a video goes out with its size and length, and one that comes plays in its place', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  const video = await sampleVideo(alice.page, { width: 160, height: 120, frames: 30 })
  await send(alice, { bytes: video, name: 'crossing.webm', mimeType: 'video/webm' })
  const { file, bytes } = await received(bot)
  expect(file).toMatchObject({ name: 'crossing.webm', kind: 'video', type: 'video/webm', width: 160, height: 120 })
  expect(file.duration_ms).toBeGreaterThan(0)
  expect(Buffer.compare(bytes, video)).toBe(0)
  await bot.sendsFile(chat, {
    bytes: video,
    name: 'back.webm',
    caption: 'And back.',
    kind: 'video',
    type: 'video/webm',
  })
  const row = await alice.sees('And back.')
  await row.getByRole('button', { name: /^Play video/ }).click()
  const shown = row.locator('video')
  await shown.waitFor()
  // Muted machines and quiet ones play it all the same: it reaches its end.
  await expect.poll(() => shown.evaluate(it => (it as HTMLVideoElement).ended)).toBe(true)
  expect(await shown.evaluate(it => (it as HTMLVideoElement).videoWidth)).toBe(160)
})

test('[APP-14.16] a photo that is sent while the relay is away waits over reloads, and arrives once', async ({
  world,
  bot,
  alice: { person: alice, faults },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  await alice.isKeptForOffline()
  faults.mayBeCut = true
  await world.stopRelay()
  const photo = samplePhoto({ width: 640, height: 400 })
  await alice.sendsPhoto({ bytes: photo, name: 'evening.png', caption: 'From the island.' })
  const waits = async () => {
    const row = alice.message('From the island.')
    await row.getByText('Waiting to be sent').waitFor()
    await row.getByText('evening.png').waitFor()
    await expect.poll(() => row.locator('img').evaluate(it => (it as HTMLImageElement).naturalWidth)).toBe(320)
  }
  await waits()
  await alice.page.reload()
  await waits()
  await world.startRelay()
  const { file, bytes } = await received(bot)
  expect(file).toMatchObject({ name: 'evening.png', kind: 'photo', width: 640, height: 400 })
  expect((await looksLike(alice.page, bytes)).width).toBe(640)
  await alice.seesSent('From the island.')
  expect(bot.textsOf(chat)).toEqual(['/start', 'From the island.'])
})

testInChromium(
  '[APP-12.11] a photo that is pressed before it is here is shown large once it is',
  async ({ bot, alice: { person: alice } }) => {
    const chat = await alice.starts(bot, 'Alice')
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await alice.context.route('**/blobs/**', async route => {
      await released
      await route.continue()
    })
    const bytes = samplePhoto({ width: 640, height: 400 })
    await bot.sendsPhoto(chat, { bytes, name: 'evening.png', caption: 'From the island.' })
    await alice.sees('From the island.')
    await alice.presses('View photo evening.png')
    await alice.dialog('Photo').getByText('Loading').waitFor()
    release()
    const shown = alice.dialog('Photo').getByRole('img')
    await expect.poll(() => shown.evaluate(it => (it as HTMLImageElement).naturalWidth)).toBe(640)
  },
)

/** The browser limits this origin to this much more than it has, until it is reset. */
async function leavesRoom({ page }: AppPerson, moreBytes: number): Promise<{ asEver(): Promise<void> }> {
  const devtools = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  const usedBytes = await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0)
  await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: usedBytes + moreBytes })
  return { asEver: () => devtools.detach() }
}

testInChromium(
  '[APP-14.26] a file for which there is no room says so and leaves nothing behind; words go on',
  async ({ bot, alice: { person: alice } }) => {
    const chat = await alice.starts(bot, 'Alice')
    const file = { bytes: randomBytes(3_000_000), name: 'chart.bin', mimeType: 'application/octet-stream' }
    const room = await leavesRoom(alice, 1_000_000)
    await send(alice, file)
    await alice.page.getByRole('alert').filter({ hasText: 'This device is out of space' }).waitFor()
    await alice.writes('Then without it')
    await bot.hears('Then without it')
    expect(await alice.message('chart.bin').count()).toBe(0)
    await room.asEver()
    await send(alice, file)
    const { bytes } = await received(bot)
    expect(Buffer.compare(bytes, file.bytes)).toBe(0)
    await alice.seesSent('chart.bin')
    expect(bot.textsOf(chat)).toEqual(['/start', 'Then without it', ''])
  },
)
