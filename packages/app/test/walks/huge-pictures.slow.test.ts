// Pictures that are small as files and gigabytes when decoded: no page decodes them unless the person asks for it.
import { publishProfile } from '@postern/core/hostile'
import type { ChatId } from '@postern/protocol'
import { type TestPerson, WITHIN } from '@postern/testkit'
import { blackPng } from '@postern/testkit/pictures'
import { expect } from 'vitest'
import type { AppPerson } from './app-person.ts'
import { findingsOf } from './axe.ts'
import { faultsOfShape } from './page-shape.ts'
import { samplePhoto } from './sample-photo.ts'
import { test as base } from './walk-test.ts'

declare global {
  /** Width and height of every picture that the page has decoded, and every address of an `<img>`. */
  var decoded: string[]
  var given: string[]
}

/** From the first moment on. */
async function watchesPictures({ page }: AppPerson): Promise<void> {
  await page.addInitScript(() => {
    globalThis.decoded = []
    globalThis.given = []
    const note = ({ target }: Event): void => {
      if (target instanceof HTMLImageElement) decoded.push(`${target.naturalWidth}x${target.naturalHeight}`)
    }
    document.addEventListener('load', note, true)
    const source = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, 'src')
    if (!source?.set) throw new Error('an image has no source')
    const { set } = source
    Object.defineProperty(HTMLImageElement.prototype, 'src', {
      ...source,
      set(value: string) {
        given.push(value.slice(0, 40))
        set.call(this, value)
      },
    })
  })
}

const seenPictures = ({ page }: AppPerson): Promise<{ decoded: string[]; given: string[] }> =>
  page.evaluate(() => ({ decoded, given }))

const test = base
  .extend('mallory', { scope: 'file' }, ({ world }) => world.person('Mallory'))
  .extend(
    'alice',
    async ({ openApp }) => await openApp({ viewport: { width: 380, height: 780 }, reducedMotion: 'reduce' }),
  )

type Photo = { bytes: Uint8Array; text: string; width?: number; height?: number; preview?: string }

async function sendsPhoto(person: TestPerson, chat: ChatId, { bytes, ...words }: Photo): Promise<void> {
  const draft = await person.client.files.draft(new Blob([new Uint8Array(bytes)]).stream())
  try {
    await person.client.files.send(
      chat,
      { draft, name: 'ferry.png', type: 'image/png', kind: 'photo', ...words },
      WITHIN,
    )
  } finally {
    await draft.discard()
  }
}

/** The head of a JPEG with 65,500 pixels a side: 4.3 gigapixels. */
const HUGE_PREVIEW = `data:image/jpeg;base64,${Buffer.from('ffd8ffc0000b08ffdcffdc01011100', 'hex').toString('base64')}`
const BOMB = blackPng(20_000, 20_000)

test('[APP-14.28] a stranger whose pictures take gigabytes shows a name, and afterwards words', async ({
  bot,
  mallory,
  alice: { person: alice },
}) => {
  await watchesPictures(alice)
  const account = (await alice.starts(bot, 'Alice')) as ChatId
  const avatar = `data:image/png;base64,${BOMB.toString('base64')}`
  await publishProfile(mallory, { name: 'Mallory', about: '', bot: false, commands: [], avatar })
  const bomb = { bytes: BOMB, width: 20_000, height: 20_000, preview: HUGE_PREVIEW }
  for (const text of ['first', 'second', 'third', 'fourth', 'fifth'])
    await sendsPhoto(mallory, account, { ...bomb, text })
  const small = samplePhoto({ width: 240, height: 160 })
  await sendsPhoto(mallory, account, { bytes: small, width: 240, height: 160, text: 'a small one' })
  await alice.page.evaluate(() => void (location.hash = ''))
  await alice.page.getByRole('link', { name: /Mallory/ }).click()
  await alice.sees('a small one')
  expect(await alice.message('accept the request to open it').count()).toBe(6)
  expect(await faultsOfShape(alice.page)).toEqual([])
  expect(await findingsOf(alice.page)).toEqual([])
  expect(await seenPictures(alice)).toEqual({ decoded: [], given: [] })

  await alice.presses('Accept')
  await expect.poll(() => alice.message('Very large picture: 20,000 × 20,000 pixels').count()).toBe(5)
  await expect.poll(() => seenPictures(alice).then(({ decoded }) => decoded)).toEqual(['240x160'])
  expect((await seenPictures(alice)).given).toEqual([expect.stringMatching(/^blob:/)])
  expect(await faultsOfShape(alice.page)).toEqual([])
  expect(await findingsOf(alice.page)).toEqual([])
  // Next to the small one, on the whole screen.
  await alice.message('a small one').getByRole('button', { name: 'View photo ferry.png' }).click()
  await alice.page.getByRole('dialog', { name: 'Photo' }).getByRole('button', { name: 'Previous' }).click()
  await alice.page.getByRole('dialog').getByText('Very large picture').waitFor()
  expect(await findingsOf(alice.page)).toEqual([])
  expect((await seenPictures(alice)).decoded.every(size => size === '240x160')).toBe(true)
})

test('[APP-14.28] a photo that is not what its message says waits for a press', async ({
  bot,
  mallory,
  alice: { person: alice },
}) => {
  await watchesPictures(alice)
  const account = (await alice.starts(bot, 'Alice')) as ChatId
  await mallory.say(account, 'hello')
  await alice.page.evaluate(() => void (location.hash = ''))
  await alice.page.getByRole('link', { name: /Mallory/ }).click()
  await alice.presses('Accept')
  await sendsPhoto(mallory, account, { bytes: blackPng(600, 700), width: 60, height: 70, text: 'of another size' })
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  await sendsPhoto(mallory, account, { bytes: gif, text: 'a GIF' })
  await sendsPhoto(mallory, account, { bytes: Buffer.from(`BM${'\0'.repeat(100)}`), text: 'a bitmap' })
  await sendsPhoto(mallory, account, { bytes: blackPng(4000, 4000), width: 4000, height: 4000, text: 'of nothing' })
  for (const [words, why] of [
    ['of another size', 'its size differs from what the sender declared'],
    ['a GIF', 'Animated picture'],
    ['a bitmap', 'cannot be shown here'],
    ['of nothing', 'Very large picture: 4,000 × 4,000'],
  ] as const)
    await alice.message(words).filter({ hasText: why }).waitFor()
  expect(await seenPictures(alice)).toEqual({ decoded: [], given: [] })
  expect(await findingsOf(alice.page)).toEqual([])
  await alice
    .message('of another size')
    .getByRole('button', { name: /Show anyway$/ })
    .click()
  await expect.poll(() => seenPictures(alice).then(({ decoded }) => decoded)).toEqual(['600x700'])
  await alice
    .message('of nothing')
    .getByRole('button', { name: /Show anyway$/ })
    .click()
  await expect.poll(() => seenPictures(alice).then(({ decoded }) => decoded)).toEqual(['600x700', '4000x4000'])
  const saving = alice.page.waitForEvent('download')
  await alice.message('a bitmap').getByRole('button', { name: /Save$/ }).click()
  expect((await saving).suggestedFilename()).toBe('ferry.png')
  expect((await seenPictures(alice)).given.length).toBe(2)
})
