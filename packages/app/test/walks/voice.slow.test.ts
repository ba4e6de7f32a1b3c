// Voice messages: recorded from a microphone that beeps, and played.
import { isFirefox } from '@postern/testkit/browser'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { received } from './received-file.ts'
import { test as walk } from './walk-test.ts'

declare global {
  /** The speeds of the voice messages that have ended. */
  var ended: number[]
}

const test = walk.extend('chromium', { scope: 'file' }, () => 'whole' as const)

/** The duration of the sound, and the volume of its loudest moment. */
async function played(page: Page, bytes: Uint8Array): Promise<{ seconds: number; loudest: number }> {
  return await page.evaluate(
    async given => {
      const sound = await new OfflineAudioContext(1, 48_000, 48_000).decodeAudioData(new Uint8Array(given).buffer)
      const loudest = sound.getChannelData(0).reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      return { seconds: sound.duration, loudest }
    },
    [...bytes],
  )
}

test('[APP-12.8] a voice message is what was spoken, and plays at the other side', async ({ bot, openApp }) => {
  const { person: alice } = await openApp({ permissions: ['microphone'] })
  await alice.starts(bot, 'Alice')
  const heightPx = () => alice.page.locator('.composer').evaluate(it => it.getBoundingClientRect().height)
  const beforePx = await heightPx()
  await alice.presses('Record voice message')
  await alice.page.getByText('Recording 0:02').waitFor()
  // The conversation above it does not jump.
  expect(await heightPx()).toBe(beforePx)
  await alice.presses('Send')
  const { file, bytes } = await received(bot)
  expect(file.kind).toBe('voice')
  expect(file.duration_ms).toBeGreaterThan(1_000)
  const heard = await played(alice.page, bytes)
  expect(heard.loudest).toBeGreaterThan(0.01)
  // Never longer than it was spoken; a busy machine may start recording a moment late.
  expect(heard.seconds).toBeGreaterThan(0)
  expect(heard.seconds).toBeLessThan((file.duration_ms ?? 0) / 1000 + 1)
})

test('[APP-12.19] a voice message shows its wave, plays at another speed, and the next one follows', async ({
  bot,
  openApp,
}) => {
  const { person: alice } = await openApp({ permissions: ['microphone'] })
  await alice.starts(bot, 'Alice')
  for (const _ of ['first', 'second']) {
    await alice.presses('Record voice message')
    await alice.page.getByText('Recording 0:02').waitFor()
    await alice.presses('Send')
    await received(bot)
  }
  const voices = alice.page.getByRole('log').getByRole('group', { name: 'Voice message' })
  await voices.nth(1).waitFor()
  await expect.poll(() => voices.nth(0).locator('svg path').first().getAttribute('d')).toMatch(/^M/)
  await alice.page.evaluate(() => {
    globalThis.ended = []
    const note = ({ target }: Event): void => void ended.push((target as HTMLAudioElement).playbackRate)
    document.addEventListener('ended', note, true)
  })
  const first = voices.nth(0)
  // The position can be chosen before it plays.
  await first.getByRole('slider', { name: 'Position' }).fill('0.3')
  await first.getByRole('button', { name: 'Speed 1×' }).click()
  await first.getByRole('button', { name: 'Speed 1.5×' }).click()
  await first.getByRole('button', { name: 'Play' }).click()
  await expect.poll(() => alice.page.evaluate(() => ended)).toEqual([2, 2])
})

test.skipIf(isFirefox())('[APP-12.8] a recording that is thrown away ends no reply', async ({ bot, openApp }) => {
  const { person: alice } = await openApp({ permissions: ['microphone'] })
  const chat = await alice.starts(bot, 'Alice')
  const asked = await bot.says(chat, { text: 'How was the crossing?' })
  await (await alice.sees('How was the crossing?')).click({ button: 'right' })
  await alice.chooses('Reply')
  await alice.presses('Record voice message')
  await alice.presses('Discard')
  await alice.writes('Calm.')
  const { message } = await bot.hears('Calm.')
  expect(message.reply_to).toBe(asked.id)
})

test('[APP-14.20] a recording that is begun by the keyboard is sent by it', async ({ bot, openApp }) => {
  const { person: alice } = await openApp({ permissions: ['microphone'] })
  await alice.starts(bot, 'Alice')
  await alice.button('Record voice message').focus()
  await alice.page.keyboard.press('Enter')
  await alice.page.getByText('Recording 0:01').waitFor()
  await alice.page.keyboard.press('Enter')
  expect((await received(bot)).file.kind).toBe('voice')
  // On a touch screen the field would open the keyboard.
  const hasMouse = await alice.page.evaluate(() => matchMedia('(hover: hover) and (pointer: fine)').matches)
  const next = hasMouse ? alice.field : alice.button('Record voice message')
  await expect.poll(() => next.evaluate(element => element === document.activeElement)).toBe(true)
})
