// Names and words of malicious strangers: no screen breaks, no script runs.
import type { ChatId } from '@postern/protocol'
import { expect } from 'vitest'
import { findingsOf } from './axe.ts'
import { faultsOfShape } from './page-shape.ts'
import { samplePhoto } from './sample-photo.ts'
import { test } from './walk-test.ts'
import type { WalkingBot } from './walking-bot.ts'

/** Between marks that a test finds again, whatever is between them. */
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

/** The gateway refuses labels that reverse the text, or are invisible. */
const labelOf = (words: string): string =>
  `x${[...words].slice(0, 29).join('')}`.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ' ')

/** A message with buttons, a poll, a photo and a reply, all of them in these words. */
async function saysAll(bot: WalkingBot, chat: string, words: string): Promise<void> {
  const short = labelOf(words)
  const address = `https://ferries.example/${encodeURIComponent(short)}`
  const { id } = await bot.says(chat, {
    text: words.slice(0, 4000),
    buttons: [
      [
        { text: short, data: 'one' },
        { text: 'W'.repeat(30), url: address },
      ],
    ],
  })
  await bot.asks(chat, { question: short, options: [short, `${short} two`] })
  const name = `${short.replaceAll(/[/\\]/g, ' ')}.png`
  await bot.sendsPhoto(chat, { bytes: samplePhoto({ width: 64, height: 40 }), name, caption: short })
  await bot.says(chat, { text: 'the reply', reply_to: id })
}

test('[APP-14.13] what a bot says breaks no screen, whatever it is', async ({ bot, alice: { person: alice } }) => {
  await alice.page.setViewportSize({ width: 380, height: 780 })
  const chat = await alice.starts(bot, 'Alice')
  for (const words of Object.values(hostile)) await saysAll(bot, chat, words)
  await bot.says(chat, { text: 'the end' })
  await alice.sees('the end')
  expect(await faultsOfShape(alice.page)).toEqual([])
  expect(await findingsOf(alice.page)).toEqual([])
  await alice
    .button(/opens a page$/)
    .last()
    .click()
  await alice.dialog('Open this link?').waitFor()
  expect(await faultsOfShape(alice.page)).toEqual([])
  await alice.page.keyboard.press('Escape')
  await alice.page.evaluate(() => void (location.hash = ''))
  for (const [at, words] of Object.values(hostile).entries()) {
    await bot.says(chat, { text: words.slice(0, 4000) })
    await alice.page.getByRole('link', { name: new RegExp(`Harbour.* ${at + 1} unread`) }).waitFor()
    expect(await faultsOfShape(alice.page)).toEqual([])
  }
  expect(await findingsOf(alice.page)).toEqual([])
})

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
  expect(await faultsOfShape(alice.page)).toEqual([])
  expect(await findingsOf(alice.page)).toEqual([])
  await alice.presses('Decline')
  await alice.dialog('Decline this request?').getByRole('button', { name: 'Decline' }).click()
  await alice.page.getByRole('link', { name: /Harbour/ }).waitFor()
  await alice.page.getByRole('link', { name: /lory/ }).waitFor({ state: 'detached' })
})
