// A relay that accepts no new accounts, or accepts them with a code: what a person sees, and how one registers.
import { join } from 'node:path'
import { decodeClientFrame, type RelayFrame } from '@postern/protocol/relay'
import { HostileRelay, passTime, Wire } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { describe, expect } from 'vitest'
import { meet, TestApp } from './app-world.ts'

const closed = base.extend('worldOptions', () => ({ relayRegistration: 'closed' as const }))
const test = base.extend('worldOptions', () => ({ relayRegistration: 'invite' as const }))

const NEEDED = { kind: 'failed', why: 'code-needed' }

/** A person has given a name, and nothing more. */
const begins = test.extend('newcomer', async ({ world }, { onCleanup }) => {
  const app = new TestApp(world)
  await app.host.home.start()
  onCleanup(() => app.host.home.stop())
  const page = app.page()
  const stage = page.watch('stage')
  await page.call('createAccount', { name: 'alice' })
  return { app, page, stage }
})

describe('a relay that takes no new accounts', () => {
  closed('[APP-8.11] says so to whoever begins, also at the next start', async ({ world }) => {
    const app = new TestApp(world)
    await app.host.home.start()
    const page = app.page()
    const stage = page.watch('stage')
    await page.call('createAccount', { name: 'alice' })
    await expect.poll(() => stage.value).toMatchObject({ kind: 'failed', why: 'registration-closed' })
    const again = new TestApp(world)
    await again.host.home.start()
    await expect.poll(() => again.host.home.stage).toMatchObject({ kind: 'failed', why: 'registration-closed' })
  })
})

describe('a relay that takes new accounts by a code', () => {
  begins('[APP-8.12] asks for it, and with the right one the chat of the link opens', async ({ world, newcomer }) => {
    const { app, page, stage } = newcomer
    const bob = await world.person('bob', { relayInvite: await world.relayInvite() })
    await expect.poll(() => stage.value).toMatchObject(NEEDED)
    await page.call('useRelayCode', { code: ` ${(await world.relayInvite()).toUpperCase()}\n` })
    await expect.poll(() => stage.value).toEqual({ kind: 'open' })
    const chat = await meet(page, bob)
    await page.call('send', { chat, text: 'hello' })
    await bob.hears('hello')
    expect(page.watch('me').value.name).toBe('alice')
    expect(app.account.client.isRegistered).toBe(true)
  })

  begins(
    '[APP-8.12] tells a wrong code from a used one, and the screen stays meanwhile',
    async ({ world, newcomer: { page, stage } }) => {
      await expect.poll(() => stage.value).toMatchObject(NEEDED)
      const shown: string[] = []
      page.onShown = () => void shown.push(stage.value.kind)
      const used = await world.relayInvite()
      await world.person('bob', { relayInvite: used })
      await expect(page.call('useRelayCode', { code: 'mistyped' })).rejects.toThrow('invite-wrong')
      await expect(page.call('useRelayCode', { code: used })).rejects.toThrow('invite-used')
      await page.call('useRelayCode', { code: await world.relayInvite() })
      // A repeat, for example after a move of the core, succeeds.
      await page.call('useRelayCode', { code: used })
      await expect.poll(() => shown).toContain('open')
      expect(shown.lastIndexOf('failed')).toBeLessThan(shown.indexOf('open'))
    },
  )

  begins('[APP-8.12] is not asked about what cannot be a code', async ({ newcomer: { app, page, stage } }) => {
    await expect.poll(() => stage.value).toMatchObject(NEEDED)
    const tries = triesOver(app.wire)
    for (const code of ['', ' ', 'a'.repeat(65), 'https://relay.example/#code', 'кодкод', '1'.repeat(10_000)])
      await expect(page.call('useRelayCode', { code })).rejects.toThrow('invite-wrong')
    await expect(page.ask('useRelayCode', { code: 7 })).rejects.toThrow('call-malformed')
    expect(tries).toEqual([])
  })

  test('[APP-8.12] without an account there is nothing to give a code for', async ({ world }) => {
    const app = new TestApp(world)
    await app.host.home.start()
    await expect(app.page().call('useRelayCode', { code: 'abc' })).rejects.toThrow('no-account')
    expect(app.host.home.stage).toEqual({ kind: 'no-account' })
  })

  test('[APP-8.13] is not asked again by itself, so that nobody uses up the tries of an address', async ({
    world,
    clock,
  }) => {
    const app = new TestApp(world, { clock })
    await app.host.home.start()
    const page = app.page()
    await page.call('createAccount', { name: 'alice' })
    await passTime(clock, expect.poll(() => app.host.home.stage).toMatchObject(NEEDED))
    const tries = triesOver(app.wire)
    await expect(passTime(clock, page.call('useRelayCode', { code: 'mistyped' }))).rejects.toThrow('invite-wrong')
    await app.host.home.settled()
    const relayInvite = await world.relayInvite()
    await passTime(clock, world.person('bob', { relayInvite }))
    expect(tries).toEqual(['mistyped'])
  })

  test('[APP-8.13] that is away is told from a wrong code, and takes the code when it is back', async ({
    world,
    clock,
  }) => {
    const app = new TestApp(world, { clock })
    await app.host.home.start()
    const page = app.page()
    await page.call('createAccount', { name: 'alice' })
    await passTime(clock, expect.poll(() => app.host.home.stage).toMatchObject(NEEDED))
    const code = await world.relayInvite()
    await world.stopRelay()
    await expect(passTime(clock, page.call('useRelayCode', { code }))).rejects.toThrow('relay-unreachable')
    expect(app.host.home.stage).toMatchObject(NEEDED)
    await world.startRelay()
    await passTime(clock, expect.poll(() => app.host.home.stage).toEqual({ kind: 'open' }))
    await app.host.home.stop()
  })

  begins(
    '[APP-8.13] needs none of an account that it knows: it comes back by its file',
    async ({ world, newcomer: { app, page, stage } }) => {
      await expect.poll(() => stage.value).toMatchObject(NEEDED)
      await page.call('useRelayCode', { code: await world.relayInvite() })
      const { account } = app.account.client
      const { words } = await page.call('newWords', {})
      const { file } = await page.call('recoveryFile', { words })
      const elsewhere = new TestApp(world, { directory: join(world.directory, 'elsewhere') })
      await elsewhere.host.home.start()
      const there = elsewhere.page()
      await there.call('createAccount', { name: 'alice, but without a code' })
      await expect.poll(() => elsewhere.host.home.stage).toMatchObject(NEEDED)
      await there.call('restore', { file, words })
      await elsewhere.online()
      expect(elsewhere.account.client.account).toBe(account)
      await elsewhere.host.home.stop()
    },
  )

  test('[APP-8.13] can be left for another account: everything here is removed, and another begun', async ({
    world,
  }) => {
    const app = new TestApp(world)
    await app.host.home.start()
    const page = app.page()
    await page.call('createAccount', { name: 'alice' })
    await expect.poll(() => app.host.home.stage).toMatchObject(NEEDED)
    await page.call('removeAccount', {})
    expect(app.host.home.stage).toEqual({ kind: 'no-account' })
  })
})

base('[APP-8.13] a relay that has taken an account cannot ask it for a code', async ({ world }) => {
  const wire = new Wire()
  const { app, page } = await TestApp.begin(world, { wire })
  const stage = page.watch('stage')
  const relay = new HostileRelay(wire)
  relay.change(frame =>
    frame.kind === 'answer' && frame.name === 'authenticate' ? [askingForCode(frame.id)] : [frame],
  )
  wire.drop()
  await expect.poll(() => app.account.client.refusal?.code).toBe('invite-required')
  await app.host.home.settled()
  expect(stage.value).toEqual({ kind: 'open' })
  relay.repent()
  await app.online()
  await app.host.home.stop()
})

const askingForCode = (id: number): RelayFrame => ({
  kind: 'failure',
  id,
  code: 'invite-required',
  message: 'Give the code of an invite.',

  retryAtMs: undefined,
  serial: undefined,
})

/** The codes that are sent to the relay from now on. */
function triesOver(wire: Wire): (string | undefined)[] {
  const tries: (string | undefined)[] = []
  wire.outgoing = bytes => {
    const frame = decodeClientFrame(bytes.slice())
    if (frame.kind === 'call' && frame.name === 'authenticate') tries.push(frame.request.invite)
    return [bytes]
  }
  return tries
}
