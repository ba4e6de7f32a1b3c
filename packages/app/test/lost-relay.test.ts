// A relay that has lost its data: the account is kept here, and continues when the relay has it again.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { meet } from './app-world.ts'

const UNKNOWN = { kind: 'failed', why: 'account-unknown' }

const test = base
  .extend('relayData', ({ world }) => join(world.directory, 'relay'))
  /** The relay is restarted empty, and its old data is next to it. */
  .extend('wiped', async ({ started: { page }, bob, world, relayData }) => {
    const chat = await meet(page, bob)
    await page.call('send', { chat, text: 'before the loss' })
    await bob.hears('before the loss')
    await world.close(bob)
    await world.stopRelay()
    cpSync(relayData, `${relayData}.kept`, { recursive: true })
    rmSync(relayData, { recursive: true })
    await world.startRelay()
    return { chat }
  })

describe('a relay that has lost its data', () => {
  test('[APP-5.14] is told from one that is away, and what is here is kept until the relay has it again', async ({
    started: { app, page },
    wiped: { chat },
    world,
    relayData,
  }) => {
    await expect.poll(() => app.host.home.stage).toMatchObject(UNKNOWN)
    const { rows } = page.watch('history', chat, { at: 'end' }, 50).value
    expect(JSON.stringify(rows)).toContain('before the loss')
    await page.call('send', { chat, text: 'into the void' })
    await world.stopRelay()
    rmSync(relayData, { recursive: true })
    cpSync(`${relayData}.kept`, relayData, { recursive: true })
    await world.startRelay()
    await expect.poll(() => app.host.home.stage).toEqual({ kind: 'open' })
    const bob = await world.person('bob')
    await bob.hears('into the void')
  })

  test('[APP-5.14] can be begun with anew', async ({ started: { app, page }, wiped: _wiped }) => {
    const before = app.account.client.account
    await expect.poll(() => app.host.home.stage).toMatchObject(UNKNOWN)
    await page.call('removeAccount', {})
    await page.call('createAccount', { name: 'alice' })
    await app.online()
    expect(app.account.client.account).not.toBe(before)
    expect(app.host.home.stage).toEqual({ kind: 'open' })
  })
})
