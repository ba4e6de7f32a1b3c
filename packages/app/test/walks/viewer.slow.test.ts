// The viewer on a phone and at a desk: through all photos and videos of a chat, by fingers, wheel and keys.
import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'
import { samplePhoto } from './sample-photo.ts'
import { sampleVideo } from './sample-video.ts'
import { test } from './walk-test.ts'

/** More than a window onto a conversation has. */
const ROWS = 125

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

type Finger = { x: number; y: number }

/** Fingers that go along these places of the stage, in one gesture: quick, as the time of the machine does not count. */
async function touches({ page, context }: AppPerson, path: Finger[][]): Promise<void> {
  const touch = await context.newCDPSession(page)
  const points = (fingers: Finger[]) => fingers.map(({ x, y }, id) => ({ x, y, id }))
  const [first = [], ...rest] = path
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points(first) })
  for (const fingers of rest)
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points(fingers) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await touch.detach()
}

const widthOf = (picture: Locator): Promise<number> =>
  picture.evaluate(element => Math.round(element.getBoundingClientRect().width))

/** In the language of the browser: `Thursday 19 November 2026`. */
const wholeDate = (at: string | null): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full' }).format(new Date(at ?? Number.NaN))

async function sendsPhotos(alice: AppPerson, names: string[], send: (name: string) => Promise<void>): Promise<void> {
  for (const name of names) await send(name)
  await alice.button(`View photo ${names.at(-1)}.png`).waitFor()
}

test('[APP-12.14] [APP-12.15] [APP-12.16] on a phone, fingers lead through the photos, enlarge them and close', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp(PHONE)
  const chat = await alice.starts(bot, 'Alice')
  const bytes = samplePhoto({ width: 800, height: 500 })
  await sendsPhotos(alice, ['one', 'two', 'three'], name =>
    bot.sendsPhoto(chat, { bytes, name: `${name}.png`, caption: `Pier ${name}` }),
  )
  const viewer = alice.dialog('Photo')
  const shows = (name: string) => viewer.getByRole('img', { name: `${name}.png` })
  await alice.button('View photo three.png').tap()
  await shows('three').waitFor()
  await viewer.getByText('Harbour').waitFor()
  await viewer.getByText(wholeDate(await viewer.getByRole('time').getAttribute('datetime'))).waitFor()
  await viewer.getByText('Pier three').waitFor()
  expect(await viewer.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true)
  expect(await findingsOf(alice.page)).toEqual([])

  await touches(alice, [[{ x: 80, y: 400 }], [{ x: 200, y: 400 }], [{ x: 330, y: 400 }]])
  await shows('two').waitFor()
  await viewer.getByText('Pier two').waitFor()
  await touches(alice, [[{ x: 330, y: 400 }], [{ x: 200, y: 400 }], [{ x: 60, y: 400 }]])
  await shows('three').waitFor()

  await expect.poll(() => widthOf(shows('three'))).toBe(390)
  const pinch = (apart: number) => [
    { x: 195 - apart, y: 400 },
    { x: 195 + apart, y: 400 },
  ]
  await touches(alice, [pinch(30), pinch(60), pinch(90)])
  await expect.poll(() => widthOf(shows('three'))).toBeGreaterThan(900)
  await alice.page.keyboard.press('0')
  await expect.poll(() => widthOf(shows('three'))).toBe(390)

  await touches(alice, [[{ x: 195, y: 300 }], [{ x: 197, y: 450 }], [{ x: 200, y: 650 }]])
  await viewer.waitFor({ state: 'detached' })
  // Not by a finger: after a quick swipe Chromium takes the next tap as one that stops the movement.
  await alice.button('View photo three.png').press('Enter')
  await viewer.waitFor()
  const url = alice.page.url()
  await alice.page.goBack()
  await viewer.waitFor({ state: 'detached' })
  expect(alice.page.url()).toBe(url)
})

test('[APP-12.14] [APP-12.15] at a desk, keys and the wheel do, a video plays, and a deleted photo is closed', async ({
  bot,
  alice: { person: alice },
}) => {
  const chat = await alice.starts(bot, 'Alice')
  const bytes = samplePhoto({ width: 800, height: 500 })
  await bot.sendsPhoto(chat, { bytes, name: 'first.png', caption: 'The first' })
  const video = await sampleVideo(alice.page, { width: 160, height: 120, frames: 30 })
  await bot.sendsFile(chat, { bytes: video, name: 'sea.webm', caption: 'The sea', kind: 'video', type: 'video/webm' })
  for (let at = 0; at < ROWS; at++) await bot.says(chat, { text: `line ${at}` })
  await bot.sendsPhoto(chat, { bytes, name: 'last.png', caption: 'The last' })
  const [last] = bot.gateway.client.messages.list(chat as never, { limit: 1 })
  // The conversation opens at the message of its address.
  await alice.page.evaluate(message => void (location.hash = `${location.hash}/${message}`), last?.id)
  await alice.page.reload()
  await alice.button('View photo last.png').waitFor()
  expect(await alice.button('View photo first.png').count()).toBe(0)

  await alice.presses('View photo last.png')
  const photo = alice.dialog('Photo')
  const picture = photo.getByRole('img', { name: 'last.png' })
  await expect.poll(() => widthOf(picture)).toBe(800)
  await picture.hover()
  await alice.page.mouse.wheel(0, -400)
  await expect.poll(() => widthOf(picture)).toBeGreaterThan(1200)
  await alice.page.keyboard.press('0')
  await expect.poll(() => widthOf(picture)).toBe(800)
  await picture.dblclick()
  await expect.poll(() => widthOf(picture)).toBe(2000)

  await alice.page.keyboard.press('ArrowLeft')
  const player = alice.dialog('Video').locator('video')
  await expect.poll(() => player.evaluate(it => (it as HTMLVideoElement).currentTime)).toBeGreaterThan(0)
  await alice.page.keyboard.press('ArrowLeft')
  await photo.getByRole('img', { name: 'first.png' }).waitFor()
  const saving = alice.page.waitForEvent('download')
  await photo.getByRole('button', { name: 'Save first.png' }).click()
  expect((await saving).suggestedFilename()).toBe('first.png')

  const all = bot.gateway.client.messages.media(chat as never, { kinds: ['photo'], limit: 10 })
  await bot.deletes(chat, all.at(-1)?.id ?? '')
  await photo.waitFor({ state: 'detached' })
})
