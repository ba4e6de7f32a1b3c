// Names and words of strangers who mean harm: no screen breaks, no script runs.
import type { ChatId } from '@postern/protocol'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findingsOf } from './axe.ts'
import { samplePhoto } from './sample-photo.ts'
import { test } from './walk-test.ts'

/** Between marks that a test finds again, whatever stands between them. */
const hostile: Record<string, string> = {
  markup: '<script>globalThis.wasRun = 1</script><img src=x onerror="globalThis.wasRun = 1">',
  'a long word': 'W'.repeat(4000),
  'a heap of marks': `Z${'\u0301\u0336\u0489'.repeat(1300)}`,
  'turned writing': '\u202Egnp.exe \u2066\u202Dabc\u2069 \u200F\u061C abc \u202E\u202E\u202E',
  'a scheme that runs': 'javascript:globalThis.wasRun=1 data:text/html,<script>wasRun=1</script>',
  'lines without end': `${'\n'.repeat(3000)}the last line`,
  'emoji in chains': '👩‍👩‍👧‍👦'.repeat(150),
  template: '${globalThis.wasRun=1} {{constructor.constructor("wasRun=1")()}}',
}

const shapeOf = (page: Page) =>
  page.evaluate(() => {
    const bounds = [...document.querySelectorAll('[role="log"] article')].map(row => row.getBoundingClientRect())
    return {
      wasRun: 'wasRun' in globalThis,
      isTooWide: document.documentElement.scrollWidth > innerWidth,
      sticksOut: bounds.filter(({ left, right }) => left < -1 || right > innerWidth + 1).length,
    }
  })

const sound = { wasRun: false, isTooWide: false, sticksOut: 0 }

test.for(Object.entries(hostile))(
  '[APP-14.13] %s breaks no screen',
  async ([kind, words], { bot, alice: { person: alice } }) => {
    await alice.page.setViewportSize({ width: 380, height: 780 })
    const chat = await alice.starts(bot, `Alice of ${kind}`)
    // The gateway refuses labels that turn the writing, or of which nothing is seen.
    const short = `x${[...words].slice(0, 29).join('')}`.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ' ')
    const message = await bot.says(chat, {
      text: words.slice(0, 4000),
      buttons: [
        [
          { text: short, data: 'one' },
          { text: 'W'.repeat(30), url: `https://ferries.example/${encodeURIComponent(short)}` },
        ],
      ],
    })
    await bot.asks(chat, { question: short, options: [short, `${short} two`] })
    const name = `${short.replaceAll(/[/\\]/g, ' ')}.png`
    await bot.sendsPhoto(chat, { bytes: samplePhoto({ width: 64, height: 40 }), name, caption: short })
    await bot.says(chat, { text: 'the end', reply_to: message.id })
    await alice.sees('the end')
    expect(await shapeOf(alice.page)).toEqual(sound)
    expect(await findingsOf(alice.page)).toEqual([])
    await alice.presses(/opens a page$/)
    await alice.dialog('Open this link?').waitFor()
    expect(await shapeOf(alice.page)).toEqual(sound)
    await alice.page.keyboard.press('Escape')
    await alice.page.evaluate(() => void (location.hash = ''))
    await alice.page.getByRole('link', { name: /Harbour/ }).waitFor()
    expect(await shapeOf(alice.page)).toEqual(sound)
    expect(await findingsOf(alice.page)).toEqual([])
  },
)

test('[APP-14.13] a stranger with such a name can be read and declined', async ({
  world,
  bot,
  alice: { person: alice },
}) => {
  await alice.page.setViewportSize({ width: 380, height: 780 })
  const account = await alice.starts(bot, 'Alice')
  const mallory = await world.person(`Mal${'\u0301'.repeat(40)}<b>lory</b> مالوري`)
  await mallory.say(account as ChatId, hostile['markup'] ?? '')
  await alice.page.evaluate(() => void (location.hash = ''))
  await alice.page.getByRole('link', { name: /lory/ }).click()
  await alice.sees('<script>globalThis.wasRun = 1</script>')
  expect(await shapeOf(alice.page)).toEqual(sound)
  expect(await findingsOf(alice.page)).toEqual([])
  await alice.presses('Decline')
  await alice.dialog('Decline this request?').getByRole('button', { name: 'Decline' }).click()
  await alice.page.getByRole('link', { name: /Harbour/ }).waitFor()
  expect(await alice.page.getByRole('link', { name: /lory/ }).count()).toBe(0)
})
