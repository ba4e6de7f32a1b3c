// A page that stalls while both sides talk: it shows every acknowledged message, once and in order, also after a reload.

import { readUpwards, scrollDownTo, stall, stallUntil } from '@postern/testkit/stalled-page'
import { expect } from 'vitest'
import { test } from './walk-test.ts'

const ROUNDS = 15
const PER_ROUND = 12

test('[APP-14.27] a page that stalls shows all that was acknowledged, also after a reload', {
  timeout: 180_000,
}, async ({ bot, alice: { person: alice } }) => {
  const chat = await alice.starts(bot, 'Alice')
  let isOver = false
  const stalling = stallUntil(alice.page, () => isOver)
  const acknowledged: string[] = []
  // The relay's answers to Alice's messages arrive between the pages of the bot's messages.
  const echoing = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await bot.hears(`number ${round}.`)
      const texts = Array.from({ length: PER_ROUND }, (_, at) => `echo ${round}-${at}.`)
      for (const text of texts) await bot.says(chat, { text })
      acknowledged.push(...texts)
    }
  }
  const writing = async () => {
    for (let round = 0; round < ROUNDS; round++) await alice.writes(`number ${round}.`)
  }
  await Promise.all([echoing(), writing()])
  isOver = true
  await stalling

  await bot.says(chat, { text: 'echo last.' })
  await alice.sees('echo last.')
  const expected = [...acknowledged, 'echo last.']
  const missingOf = (shown: string[]) => expected.filter(text => !shown.includes(text))
  const shown = await readUpwards(alice.page, /echo \S+\./, 'echo 0-0.')
  expect(missingOf(shown)).toEqual([])
  expect(shown).toEqual(expected)
  await alice.page.reload()
  expect(await scrollDownTo(alice.page, 'echo last.')).toBe(true)
  expect(await readUpwards(alice.page, /echo \S+\./, 'echo 0-0.')).toEqual(expected)
})

test('[APP-2.23] the browser asks before a page is left whose words are not stored yet', async ({
  bot,
  alice: { person: alice },
}) => {
  await alice.starts(bot, 'Alice')
  const { page } = alice
  const asked: string[] = []
  page.on('dialog', dialog => {
    asked.push(dialog.type())
    dialog.dismiss().catch(() => asked.push('not dismissed'))
  })
  await alice.field.fill('not stored yet')
  const send = alice.button('Send')
  await send.waitFor()
  const stalled = stall(page, { coreMs: 3000 })
  // In one task of the page, while the core is busy.
  await send.evaluate(button => {
    ;(button as HTMLButtonElement).click()
    location.reload()
  })
  await stalled
  await bot.hears('not stored yet')
  expect(asked).toEqual(['beforeunload'])
  await alice.sees('not stored yet')
  await page.reload()
  await alice.sees('not stored yet')
  expect(asked).toEqual(['beforeunload'])
})
