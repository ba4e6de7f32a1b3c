// The protection of the account from being lost, and the messages when it cannot be opened.
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { WITHIN } from '@postern/testkit'
import { describe, expect } from 'vitest'
import { test } from './app-fixtures.ts'
import { TestApp } from './app-world.ts'

describe('how the account is kept', () => {
  test('[APP-5.1] is told with what the browser promises, and how much was sent', async ({
    started: { page },
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    const keeping = page.watch('keeping')
    await page.call('send', { chat: bob.chatId, text: 'hello' })
    await expect
      .poll(() => keeping.value)
      .toMatchObject({
        persisted: false,
        usedBytes: 1,
        quotaBytes: 2,
        recoveryIsOld: false,
        messagesSent: 1,
      })
    expect(await page.call('askToPersist', {})).toEqual({ persisted: false })
  })

  test('[APP-5.2] begins with the day on which it was made, over new starts', async ({ world, clock }) => {
    const { app, page } = await TestApp.begin(world, { clock })
    const keeping = page.watch('keeping')
    const madeMs = keeping.value.accountMadeMs
    await expect.poll(() => keeping.value.usedBytes).toBe(1)
    await app.host.home.stop()
    clock.leap(3_600_000)
    const { app: next, page: again } = await TestApp.begin(world, { clock })
    expect(again.watch('keeping').value.accountMadeMs).toBe(madeMs)
    await next.host.home.stop()
  })
})

describe('an account that cannot be opened', () => {
  test('[APP-5.3] says why: its key is gone', async ({ started: { app }, world }) => {
    await app.host.home.stop()
    rmSync(join(app.directory, 'db.key'))
    const next = new TestApp(world)
    await next.host.home.start()
    expect(next.host.home.stage).toMatchObject({ kind: 'failed', why: 'storage-cleared' })
    await expect(next.page().call('newInvite', {})).rejects.toThrow('no-account')
  })

  test('[APP-5.4] can be removed, and another begun', async ({ started: { app }, world }) => {
    await app.host.home.stop()
    writeFileSync(join(app.directory, 'db.key'), 'not a key')
    const next = new TestApp(world)
    await next.host.home.start()
    expect(next.host.home.stage.kind).toBe('failed')
    const page = next.page()
    await page.call('removeAccount', {})
    await page.call('createAccount', { name: 'alice' })
    expect(next.host.home.stage).toEqual({ kind: 'open' })
    await next.host.home.stop()
  })
})

describe('an account that its owner removes', () => {
  test('[APP-5.21] is deleted at the relay, and then here', async ({ started: { app, page }, world, bob }) => {
    const id = app.host.home.account?.client.account
    await app.host.home.account?.client.whenOnline(WITHIN)
    const profile = () => fetch(`${world.relayUrl}/profiles/${id}`)
    expect((await profile()).status).toBe(200)
    await page.call('deleteAccount', {})
    expect([(await profile()).status, app.host.home.stage]).toEqual([404, { kind: 'no-account' }])
    expect((await fetch(`${world.relayUrl}/profiles/${bob.id}`)).status).toBe(200)
  })
})

describe('a recovery file', () => {
  test('[APP-5.5] makes the same account again where nothing of it is left, and it goes on talking', async ({
    started: { app, page },
    world,
    bob,
  }) => {
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await page.call('setVerified', { account: bob.id, verified: true })
    const { words } = await page.call('newWords', {})
    expect(words).toHaveLength(6)
    const keeping = page.watch('keeping')
    const { file } = await page.call('recoveryFile', { words })
    await expect.poll(() => keeping.value.recoverySavedMs).toBeGreaterThan(0)
    const before = app.account.client.account
    await app.host.home.stop()
    const next = new TestApp(world, { directory: join(world.directory, 'another') })
    await next.host.home.start()
    const again = next.page()
    expect(await again.call('restore', { file, words })).toEqual({ kind: 'recovery' })
    expect(next.account.client.account).toBe(before)
    expect(again.watch('person', bob.id).value).toMatchObject({ name: 'bob', verified: true })
    await again.call('send', { chat: bob.chatId, text: 'it is me again' })
    await bob.hears('it is me again')
    await next.host.home.stop()
  })

  test('[APP-5.6] of other words, of somebody else, or where there is an account, changes nothing', async ({
    started: { app, page },
    world,
  }) => {
    const { words } = await page.call('newWords', {})
    const { file } = await page.call('recoveryFile', { words })
    await expect(page.call('restore', { file, words })).rejects.toThrow('account-exists')
    // Known before the words are tried, which takes seconds.
    await expect(page.call('restore', { file, words: ['some'] })).rejects.toThrow('account-exists')
    const next = new TestApp(world, { directory: join(world.directory, 'another') })
    await next.host.home.start()
    const other = next.page()
    await expect(other.call('restore', { file, words: ['some', 'other', 'words'] })).rejects.toThrow(
      'recovery-words-wrong',
    )
    await expect(other.call('restore', { file: new Blob(['a song']), words })).rejects.toThrow('recovery-not-ours')
    expect(next.host.home.stage).toEqual({ kind: 'no-account' })
    expect(app.host.home.stage).toEqual({ kind: 'open' })
  })

  test('[APP-5.7] is old once there are people of whom it does not know', async ({ started: { page }, bob }) => {
    const { words } = await page.call('newWords', {})
    await page.call('recoveryFile', { words })
    const keeping = page.watch('keeping')
    expect(keeping.value.recoveryIsOld).toBe(false)
    await page.call('openInvite', { link: bob.client.identity.me().inviteUrl })
    await expect.poll(() => keeping.value.recoveryIsOld).toBe(true)
  })
})

describe('two devices', () => {
  test('[APP-5.8] with one account: the later one has it, the other says so and lets go until it is asked back', async ({
    started: { app, page },
    world,
  }) => {
    const stage = page.watch('stage')
    const directory = join(world.directory, 'copied')
    cpSync(app.directory, directory, { recursive: true })
    const { app: other, page: there } = await TestApp.begin(world, { directory })
    await expect.poll(() => stage.value).toEqual({ kind: 'elsewhere' })
    await expect(page.call('newInvite', {})).rejects.toThrow('account-elsewhere')
    const stageThere = there.watch('stage')
    await page.call('useHere', {})
    await app.online()
    expect(stage.value).toEqual({ kind: 'open' })
    await expect.poll(() => stageThere.value).toEqual({ kind: 'elsewhere' })
    await other.host.home.stop()
  })
})
