// The switch for read receipts: core follows it, also when the worker was killed before it could.
import { expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'

const isOff = ({ account }: TestApp): boolean =>
  account.client['core'].store.get("SELECT 1 FROM record WHERE shelf = 'client' AND key = 'read-receipts-off'") !==
  undefined

test('[APP-13.7] read receipts are on, can be turned off and on, and are as chosen after a restart', async ({
  world,
  started: { app, page },
}) => {
  expect([page.watch('settings').value.readReceipts, isOff(app)]).toEqual([true, false])
  await page.call('setSettings', { readReceipts: false })
  expect(isOff(app)).toBe(true)
  await page.call('setSettings', { readReceipts: true })
  expect(isOff(app)).toBe(false)
  // A worker that was killed after it had stored the choice, and before core had it.
  await app.account.client.records('settings').change({ key: 'app', put: JSON.stringify({ readReceipts: false }) })
  await app.host.home.stop()
  const { app: again } = await TestApp.begin(world)
  await expect.poll(() => isOff(again)).toBe(true)
  await again.host.home.stop()
})
