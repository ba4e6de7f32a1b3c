// A page that is left while the core has not stored its words: the browser asks.
import { expect, onTestFinished, test, vi } from 'vitest'
import { guardWords } from '../src/link/unstored-words.ts'

function openPage() {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  onTestFinished(() => void vi.unstubAllGlobals())
  const asksToStay = () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  return { asksToStay }
}

test('[APP-2.23] the browser asks until the core has stored the last of the words, or refused them', async () => {
  const { asksToStay } = openPage()
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const sending = guardWords('send', first.promise)
  const editing = guardWords('edit', second.promise)
  expect(asksToStay()).toBe(true)
  first.resolve()
  await sending
  expect(asksToStay()).toBe(true)
  second.reject(new Error('refused'))
  await expect(editing).rejects.toThrow('refused')
  expect(asksToStay()).toBe(false)
})

test('[APP-2.23] nor does it ask for anything but words', async () => {
  const { asksToStay } = openPage()
  const { promise, resolve } = Promise.withResolvers<void>()
  const reading = guardWords('read', promise)
  expect(asksToStay()).toBe(false)
  resolve()
  await reading
})
