// Registration: open to everyone, to holders of an invite, or to nobody; and nobody can use up the budget of all.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { relayDefaults } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { ManualClock } from '@postern/testkit/clock'
import { databaseOptions, isOnPostgres } from '@postern/testkit/test-databases'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/index.ts'
import { arrive, newInvite, openClient, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { newPerson } from './test-client.ts'

const DAY_MS = 86_400_000

test('[RELAY-2.21] one address cannot use up the registrations of all', async () => {
  const clock = new ManualClock(Date.UTC(2030, 0, 1, 12, 10))
  const proxies = { header: 'X-Forwarded-For', count: 1 }
  const limits = { registrationsPerAddressPerHour: 2, registrationsPerMinute: 3 }
  const relay = await testRelay({ clock, proxies, limits })
  const from = (address: string) => openClient(relay, { headers: { 'x-forwarded-for': address } })
  const mallory = newPerson()
  await from('2001:db8::1').authenticate(mallory)
  await from('2001:db8::2').authenticate(newPerson())
  for (let at = 3; at < 10; at++)
    await expect(from(`2001:db8::${at}`).authenticate(newPerson())).rejects.toMatchObject({
      code: 'rate-limited',
      details: { retryAtMs: Date.UTC(2030, 0, 1, 13) },
    })
  await from('203.0.113.7').authenticate(newPerson())
  // A registered account logs in from any address.
  await from('2001:db8::1').authenticate(mallory, 'register')
  clock.advance(50 * 60_000)
  await from('2001:db8::1').authenticate(newPerson())
})

describe('a relay that does not take everybody', () => {
  test('[RELAY-2.22] closed: nobody registers, and who is there comes in', async () => {
    const dataDirectory = temporaryDirectory()
    const open = await testRelay({ dataDirectory })
    const alice = await arrive(open)
    await open.stop()
    const relay = await testRelay({ dataDirectory, registration: 'closed' })
    await openClient(relay).authenticate(alice.person, 'register')
    await openClient(relay).authenticate(alice.person, 'login')
    const code = await newInvite(dataDirectory, { usesMax: 9, expiresMs: Date.now() + DAY_MS })
    const refused = { code: 'registration-closed' }
    await expect(openClient(relay).authenticate(newPerson())).rejects.toMatchObject(refused)
    await expect(openClient(relay).register(newPerson(), code)).rejects.toMatchObject(refused)
  })

  test('[RELAY-2.22] by invite: each refusal says why', async () => {
    const clock = new ManualClock()
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, clock, registration: 'invite' })
    const soon = clock.nowMs() + DAY_MS
    const code = await newInvite(dataDirectory, { usesMax: 1, expiresMs: soon })
    const late = await newInvite(dataDirectory, { usesMax: 1, expiresMs: soon })
    const attempt = (invite: string) => openClient(relay).register(newPerson(), invite)
    await expect(openClient(relay).authenticate(newPerson())).rejects.toMatchObject({ code: 'invite-required' })
    for (const wrong of ['', 'a', '../relay.db', `${code}a`, code.slice(1)])
      await expect(attempt(wrong)).rejects.toMatchObject({ code: 'invite-wrong' })
    const alice = newPerson()
    await openClient(relay).register(alice, ` ${code.toUpperCase()} `)
    clock.advance(60_000)
    // The answer was lost: repeating it with the same account is no second use.
    await openClient(relay).register(alice, code)
    await expect(attempt(code)).rejects.toMatchObject({ code: 'invite-used' })
    clock.advance(DAY_MS)
    await expect(attempt(late)).rejects.toMatchObject({ code: 'invite-expired' })
    clock.advance(31 * DAY_MS)
    const left = async () => {
      clock.advance(relayDefaults.sweepEveryMs)
      return await askControl(dataDirectory, { request: { command: 'invites', arguments: {} } })
    }
    await expect.poll(left).toEqual({ invites: [] })
    await expect(attempt(late)).rejects.toMatchObject({ code: 'invite-wrong' })
  })

  test('[RELAY-2.22] where everybody may register, an invite is not used up', async () => {
    const dataDirectory = temporaryDirectory()
    const open = await testRelay({ dataDirectory })
    const code = await newInvite(dataDirectory, { usesMax: 1, expiresMs: Date.now() + DAY_MS })
    await openClient(open).register(newPerson(), code)
    await open.stop()
    const relay = await testRelay({ dataDirectory, registration: 'invite' })
    await openClient(relay).register(newPerson(), code)
  })

  test('[RELAY-2.22] codes are not guessed: tries are limited by address and in all', async () => {
    const dataDirectory = temporaryDirectory()
    const clock = new ManualClock()
    const proxies = { header: 'X-Forwarded-For', count: 1 }
    const limits = { inviteTriesPerAddressPerMinute: 3, inviteTriesPerMinute: 5 }
    const relay = await testRelay({ dataDirectory, clock, proxies, limits, registration: 'invite' })
    const code = await newInvite(dataDirectory, {
      usesMax: 9,
      expiresMs: clock.nowMs() + DAY_MS,
    })
    const attempt = (address: string, invite: string) =>
      openClient(relay, { headers: { 'x-forwarded-for': address } })
        .register(newPerson(), invite)
        .then(
          () => 'let in',
          (error: unknown) => (error as { code: string }).code,
        )
    const guesses = []
    for (let at = 0; at < 5; at++) guesses.push(await attempt('203.0.113.7', `guess${at}`))
    expect(guesses).toEqual([...Array<string>(3).fill('invite-wrong'), ...Array<string>(2).fill('rate-limited')])
    expect(await attempt('203.0.113.7', code)).toBe('rate-limited')
    expect(await attempt('203.0.113.8', code)).toBe('let in')
    clock.advance(60_000)
    expect(await attempt('203.0.113.7', code)).toBe('let in')
  })

  test.skipIf(isOnPostgres())('[RELAY-2.22] what is no invite is none, whatever lies in their directory', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, registration: 'invite' })
    const code = await newInvite(dataDirectory, { usesMax: 1, expiresMs: Date.now() + DAY_MS })
    const [name = ''] = readdirSync(join(dataDirectory, 'invites'))
    for (const content of ['', 'null', '[]', '{"uses":"many","expires_ms":9999999999999}', '{']) {
      writeFileSync(join(dataDirectory, 'invites', name), content)
      await expect(openClient(relay).register(newPerson(), code)).rejects.toMatchObject({ code: 'invite-wrong' })
    }
  })
})

test.for(['open', 'invite', 'closed'] as const)('[RELAY-3.22] the health says: %s', async registration => {
  const relay = await testRelay({ registration })
  const said = async () => (await fetch(`${relay.url}/healthz`)).headers.get('postern-registration')
  expect(await said()).toBe(registration)
  relay.change({ registration: 'closed', limits: {} })
  expect(await said()).toBe('closed')
})

describe('without a word of who may register', () => {
  const registrationOf = (...args: string[]) => readConfig(['--data', 'x', ...args], {}).registration

  test.each([
    ['127.0.0.1:0'],
    ['[::1]:8090'],
    ['localhost:8090'],
    ['127.0.0.1:0', '127.0.0.1:8443'],
    ['127.0.0.1:0', 'localhost', '[::1]:1'],
  ])('[RELAY-2.26] everybody on this machine may: %s %s', (listen, ...hosts) => {
    expect(registrationOf('--listen', listen, ...hosts.flatMap(host => ['--public-host', host]))).toBe('open')
  })

  test.each([
    [':8090', 'relay.example'],
    ['0.0.0.0:8090', 'relay.example'],
    ['192.0.2.7:8090'],
    // A proxy forwards everyone.
    ['127.0.0.1:8090', 'relay.example'],
    ['127.0.0.1:8090', 'localhost', 'relay.example'],
    ['127.0.0.1:8090', '127.relay.example'],
    ['127.0.0.1.relay.example:8090'],
  ])('[RELAY-2.26] who comes from elsewhere needs an invite: %s %s', (listen, ...hosts) => {
    const args = ['--listen', listen, ...hosts.flatMap(host => ['--public-host', host])]
    expect(registrationOf(...args)).toBe('invite')
    expect(registrationOf(...args, '--registration', 'open')).toBe('open')
  })
})

describe('postern relay invite', () => {
  const main = new URL('./run-relay.ts', import.meta.url).pathname
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, [main, 'invite', ...args])
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ])
    return { code, stdout, stderr }
  }

  test('[RELAY-2.22] makes a code while the relay runs, of which only a hash is kept', async () => {
    const dataDirectory = temporaryDirectory()
    const relay = await testRelay({ dataDirectory, registration: 'invite' })
    const place = ['--data', dataDirectory, ...(await databaseOptions(dataDirectory))]
    const made = await run(...place, '--uses', '2', '--days', '3')
    expect(made).toEqual({ code: 0, stdout: expect.stringMatching(/^[a-z2-7]{26}\n$/), stderr: '' })
    const code = made.stdout.trim()
    await openClient(relay).register(newPerson(), code)
    await openClient(relay).register(newPerson(), code)
    await expect(openClient(relay).register(newPerson(), code)).rejects.toMatchObject({ code: 'invite-used' })
    await relay.stop()
    if (isOnPostgres()) return
    const files = readdirSync(dataDirectory, { recursive: true, withFileTypes: true }).filter(file => file.isFile())
    for (const file of files) {
      const path = join(file.parentPath, file.name)
      expect(path + readFileSync(path, 'latin1')).not.toContain(code)
      expect(statSync(path).mode & 0o077).toBe(0)
    }
    expect(files.map(file => file.name)).toContainEqual(expect.stringMatching(/^[0-9a-f]{64}$/))
    expect(statSync(join(dataDirectory, 'invites')).mode & 0o077).toBe(0)
  })

  test.each([
    [[], '--data: '],
    [['--data', '/nonexistent'], '--data: there is no relay'],
    [['--uses', '0'], '--uses: '],
    [['--days', 'x'], '--days: '],
    [['--days', '366'], '--days: '],
    [['--what'], '--what'],
  ])('[RELAY-3.23] invite %j is one sentence, one hint and exit code 2', async (args, named) => {
    const dataDirectory = temporaryDirectory()
    await (await testRelay({ dataDirectory })).stop()
    const where = args.length === 0 || args.includes('--data') ? [] : ['--data', dataDirectory]
    const { code, stdout, stderr } = await run(...where, ...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(named)
    expect(stderr.trim().split('\n')).toEqual([
      expect.any(String),
      'Run "postern relay invite --help" to see its options.',
    ])
    expect(readdirSync(dataDirectory)).not.toContain('invites')
  })
})
