// An account that the relay's operator has banned: the app says so, keeps its data, and continues when it is admitted again.
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { askControl } from '@postern/protocol/control'
import { passTime } from '@postern/testkit'
import { expect } from 'vitest'
import { test as base } from './app-fixtures.ts'
import { meet } from './app-world.ts'

const test = base.extend('operator', ({ world }) => async (command: 'ban' | 'unban', account: string) => {
  await askControl(join(world.directory, 'relay'), { request: { command, arguments: { account } } })
})

test('[APP-5.15] who is banned is told so, loses nothing, and goes on when the relay lets them in', async ({
  timed: { app, page },
  bob,
  clock,
  operator,
}) => {
  const chat = await meet(page, bob)
  await page.call('send', { chat, text: 'before the ban' })
  await bob.hears('before the ban')
  const { account } = app.account.client
  const stage = async (kind: string) => {
    while (app.host.home.stage.kind !== kind) await nextTurn()
  }
  await operator('ban', account)
  await passTime(clock, stage('failed'))
  expect(app.host.home.stage).toMatchObject({ kind: 'failed', why: 'account-banned' })
  const { rows } = page.watch('history', chat, { at: 'end' }, 50).value
  expect(JSON.stringify(rows)).toContain('before the ban')
  await operator('unban', account)
  await passTime(clock, stage('open'))
  await page.call('send', { chat, text: 'after the ban' })
  await bob.hears('after the ban')
})
