// A page that stalls while both sides talk: it shows every acknowledged message, once and in order, also after a reload.

import { readUpwards, scrollDownTo, stallUntil } from '@postern/testkit/stalled-page'
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
