// The settings with which an account is opened, and the state after a failed opening.
import { failWrites } from '@postern/testkit/faults'
import { test } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { defaultSettings, type Settings, settingRules } from '../src/contract/settings.ts'
import { TestApp } from './app-world.ts'

test('[APP-5.22] an account whose settings cannot be kept at the opening is closed, and opens once the disk works', async ({
  world,
}) => {
  const { app: made } = await TestApp.begin(world)
  await made.host.home.stop()
  const app = new TestApp(world)
  const page = app.page()
  await page.call('setSettings', { scheme: 'dark' })
  {
    using _dead = failWrites()
    await app.host.home.start()
  }
  expect(app.host.home.stage).toMatchObject({ kind: 'failed' })
  expect(app.host.home.account).toBeUndefined()
  await app.host.home.useHere()
  expect(app.host.home.stage).toEqual({ kind: 'open' })
  await app.online()
  expect(page.watch('settings').value.scheme).toBe('dark')
  await app.host.home.stop()
})

test('[APP-13.6] every setting that is declared is taken, kept and there after a restart; what is not declared is not', async ({
  world,
}) => {
  expect(defaultSettings).toEqual({
    language: 'auto',
    scheme: 'auto',
    notify: 'name',
    sound: true,
    vibrate: true,
    offerNotifications: true,
    offerInstall: true,
    readReceipts: true,
    typing: true,
    lockAfter: '5',
    enterSends: true,
  })
  const other = Object.fromEntries(
    Object.entries(settingRules).map(([name, rule]) => [name, typeof rule === 'boolean' ? !rule : rule.at(-1)]),
  ) as Settings
  const { app, page } = await TestApp.begin(world)
  await page.ask('setSettings', { ...other, unheardOf: 1 })
  for (const wrong of [{ scheme: 'pink' }, { sound: 1 }])
    await expect(page.ask('setSettings', wrong)).rejects.toThrow('call-malformed')
  await app.host.home.stop()
  const { app: again, page: later } = await TestApp.begin(world)
  expect(later.watch('settings').value).toEqual(other)
  await again.host.home.stop()
})
