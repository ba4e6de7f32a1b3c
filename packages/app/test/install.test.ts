// Installing the app, as far as it needs no browser.
import { expect, onTestFinished, test, vi } from 'vitest'
import { startInstall } from '../src/install/install-event.ts'
import { install, installWay } from '../src/install/install-way.ts'

const asPage = (): EventTarget => {
  const page = new EventTarget()
  startInstall(page)
  onTestFinished(() => void page.dispatchEvent(new Event('appinstalled')))
  return page
}

function canInstall(page: EventTarget) {
  const prompt = vi.fn(async () => ({ outcome: 'dismissed' }))
  const event = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt })
  page.dispatchEvent(event)
  return { event, prompt }
}

test('[APP-13.12] the browser’s own line is stopped, and its question is asked once, after a press', async () => {
  const page = asPage()
  expect(installWay.value).toBeUndefined()
  const { event, prompt } = canInstall(page)
  expect(event.defaultPrevented).toBe(true)
  expect(installWay.value).toBe('question')
  expect(prompt).not.toHaveBeenCalled()
  await Promise.all([install(), install()])
  expect(prompt).toHaveBeenCalledTimes(1)
  expect(installWay.value).toBeUndefined()
  canInstall(page)
  expect(installWay.value, 'the browser allows another question').toBe('question')
})

test('[APP-13.12] an app that is installed is not offered', () => {
  const page = asPage()
  canInstall(page)
  page.dispatchEvent(new Event('appinstalled'))
  expect(installWay.value).toBeUndefined()
})

test('[APP-13.12] on an iPhone it is done by hand, unless the app runs from the home screen', () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  const phone = { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X)', maxTouchPoints: 5 }
  const page = asPage()
  for (const { standalone, way } of [
    { standalone: false, way: 'home-screen' },
    { standalone: true, way: undefined },
  ]) {
    vi.stubGlobal('navigator', { ...phone, standalone })
    canInstall(page)
    expect(installWay.value).toBe('question')
    page.dispatchEvent(new Event('appinstalled'))
    expect(installWay.value).toBe(way)
  }
})
