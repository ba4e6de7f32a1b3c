// A text that a bot is still making, and the message that replaces it.
import { expect } from 'vitest'
import { test } from './walk-test.ts'

test('[APP-10.25] a growing text is replaced by its message, without a moment with neither or both', async ({
  bot,
  gateway,
  alice: { person: alice },
}) => {
  const { page } = alice
  const chat = await alice.starts(bot, 'Alice')
  const ask = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' }
    const address = `${gateway.url}/v1/chats/${chat}/${path}`
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
  }
  const growing = page.locator('[data-growing]')
  // Drafts may be lost, and one that comes too early is not sent: a bot shows its text again.
  const shows = async (text: string, part: string): Promise<void> => {
    const shown = async () => {
      await ask('draft', { text, format: 'markdown' })
      return await growing.getByText(part).count()
    }
    await expect.poll(shown, { interval: 600, timeout: 60_000 }).toBeGreaterThan(0)
  }
  await shows('The tide', 'The tide')
  await shows('The tide is **high**', 'high')
  expect(await growing.locator('strong, b').allTextContents()).toEqual(['high'])
  // Every change of the page from here on: how often the words are in it.
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(window, { seen })
    const count = () =>
      [...document.querySelectorAll('.bubble-text')].filter(it => it.textContent === 'The tide is high')
    new MutationObserver(() => seen.push(count().length)).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    })
  })
  await ask('messages', { text: 'The tide is **high**', format: 'markdown' })
  await page.getByRole('article').getByText('The tide is').waitFor()
  await expect.poll(() => growing.count()).toBe(0)
  const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen)
  expect(seen.length).toBeGreaterThan(0)
  expect(new Set(seen)).toEqual(new Set([1]))
})
