// The doctor's findings about a running gateway: its relay, its login, its files, and none if nothing is wrong.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, doctorLimits } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { freePort, ManualClock, passWhenAwaited, WITHIN } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect, vi } from 'vitest'
import { doctor, front, settingsOf } from './doctor.ts'

const SOON = { timeout: 30_000 }

const test = base
  .extend('gateway', async ({ world }) => {
    const gateway = await world.gateway(settingsOf(world))
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })
  .extend('backedUp', ({ world, gateway: _runs }) => {
    writeFileSync(join(world.directory, 'gateway', 'last-backup'), `${new Date().toISOString()}\n`, { mode: 0o600 })
  })

test('[CLI-6.1] a gateway with which nothing is wrong: a line for each thing, all of them ok, exit 0', async ({
  world,
  backedUp: _made,
}) => {
  const { code, text } = await doctor([], settingsOf(world))
  const lines = text.trimEnd().split('\n')
  expect(lines.filter(line => !line.startsWith('ok    '))).toEqual([])
  const subjects = lines.map(line => line.slice(6, 17).trimEnd())
  const named = ['settings', 'program', 'library', 'directory', 'disk', 'backup', 'process', 'relay', 'host', 'clock']
  expect(subjects).toEqual([...named, 'login', 'files'])
  expect(code).toBe(0)
})

test('[CLI-6.1] with --json the same findings are one line of JSON', async ({ world, backedUp: _made }) => {
  const { code, text } = await doctor(['--json'], settingsOf(world, { BOT_TOKEN: 'short' }))
  expect(text).toMatch(/^[^\n]+\n$/)
  const { ok, findings } = JSON.parse(text) as { ok: boolean; findings: unknown[] }
  expect([code, ok]).toEqual([0, true])
  expect(findings).toContainEqual({ subject: 'login', state: 'ok', text: expect.any(String) })
  expect(findings).toContainEqual({
    subject: 'settings',
    state: 'warn',
    text: expect.stringContaining('BOT_TOKEN'),
    todo: expect.stringContaining('choose'),
  })
})

test('[CLI-6.5] without the settings of the gateway that runs it says where they could be named', async ({
  world,
  gateway: _runs,
}) => {
  const { of } = await doctor([], { DATA_DIR: join(world.directory, 'gateway') })
  expect(of('settings')).toEqual([expect.stringMatching(/^FAIL BOT_TOKEN: .* → .*running gateway: .*--settings$/)])
  // The relay of the running gateway is known, and checked all the same.
  expect(of('host')).toEqual([expect.stringMatching(/^ok /)])
})

test('[CLI-6.7] a host that the relay does not know as its own lets nobody in, and is found', async ({
  world,
  backedUp: _made,
}) => {
  await using proxy = await front({ to: () => world.relayUrl })
  const report = await doctor([], settingsOf(world, { RELAY_URL: proxy.url }))
  expect(report.code).toBe(1)
  expect(report.of('host')).toEqual([expect.stringMatching(`^FAIL .* → .*--public-host ${proxy.host}`)])
})

const behindProxy = test
  .extend('publicPort', () => freePort())
  .extend('worldOptions', ({ publicPort }) => ({
    relayHosts: [`127.0.0.1:${publicPort}`],
  }))

behindProxy(
  '[CLI-6.7] a proxy that changes Host is no fault: who dials a host of the relay is let in',
  async ({ world, publicPort }) => {
    await using proxy = await front({ to: () => world.relayUrl, port: publicPort, host: 'inner.example:1' })
    const report = await doctor([], settingsOf(world, { RELAY_URL: proxy.url }))
    expect([...report.of('relay'), ...report.of('host')]).toEqual([
      expect.stringMatching(/^ok /),
      `ok the relay accepts clients that use ${proxy.host}`,
    ])
  },
)

behindProxy(
  '[CLI-6.7] a proxy that passes no WebSockets is told from one that leads elsewhere',
  async ({ world, publicPort }) => {
    const noSockets = (path: string) => (path.startsWith('/relay/') ? 400 : undefined)
    await using proxy = await front({ to: () => world.relayUrl, port: publicPort, refuse: noSockets })
    const report = await doctor([], settingsOf(world, { RELAY_URL: proxy.url }))
    expect(report.of('relay')).toEqual([expect.stringMatching(/^FAIL .*does not accept a WebSocket.* → .*Upgrade/)])
    await using other = await front({ to: () => world.relayUrl, refuse: () => 404 })
    const lost = await doctor([], settingsOf(world, { RELAY_URL: other.url }))
    expect(lost.of('relay')).toEqual([expect.stringMatching(/^FAIL .*answers 404, but a relay answers 200/)])
  },
)

test.for([
  [10, 'FAIL', '10 minutes behind'],
  [-10, 'FAIL', '10 minutes ahead of'],
  [1, 'warn', '60 seconds behind'],
  [0, 'ok', "differs from the relay's by"],
] as const)("[CLI-6.7] a clock that is %i minutes off the relay's: %s", async ([minutes, state, words], { world }) => {
  const clock = new ManualClock(Date.now() - minutes * 60_000)
  const report = await doctor([], settingsOf(world), { clock })
  expect(report.of('clock')).toEqual([expect.stringMatching(new RegExp(`^${state} .*${words}`))])
  expect(report.code).toBe(state === 'FAIL' ? 1 : 0)
})

test('[CLI-6.8] another program with the keys of the bot is found, also when it has gone again', async ({
  world,
  gateway,
}) => {
  await world.closeGateway(gateway)
  const copy = join(world.directory, 'copy')
  cpSync(join(world.directory, 'gateway'), copy, { recursive: true })
  const first = await world.gateway(settingsOf(world))
  await first.client.whenOnline(WITHIN)
  const second = await world.gateway(settingsOf(world, { DATA_DIR: copy }))
  await expect.poll(() => first.client.isReplaced, SOON).toBe(true)
  await world.closeGateway(second)
  const report = await doctor([], settingsOf(world))
  expect(report.of('login')[0]).toMatch(/^FAIL another program logged in with the keys of this bot/)
  const tomorrow = new ManualClock(Date.now() + DAY_MS)
  const later = await doctor([], settingsOf(world), { clock: tomorrow })
  expect(later.of('login')[0]).toMatch(/^warn another program/)
})

test('[CLI-6.8] a bot whose relay is away is not connected; one that its relay does not let in hears why', async ({
  world,
  gateway,
}) => {
  const control = (command: string, given: object) =>
    askControl(join(world.directory, 'relay'), { request: { command, arguments: { ...given } } })
  await control('ban', { account: gateway.client.account })
  await expect.poll(() => gateway.client.refusal, SOON).toBeDefined()
  const banned = await doctor([], settingsOf(world))
  expect(banned.of('login')).toEqual([expect.stringMatching(/^FAIL the relay does not admit the bot → .*banned/)])
  expect(banned.of('files')).toEqual([])
  await world.stopRelay()
  const away = await doctor([], settingsOf(world))
  expect(away.of('relay')).toEqual([expect.stringMatching(/^FAIL .*nothing listens there/)])
  expect(away.code).toBe(1)
  await world.startRelay()
})

test('[CLI-6.9] a file goes to the relay and back, and nothing of it stays here or there', async ({
  world,
  gateway,
}) => {
  const blobs = () => readdirSync(join(world.directory, 'relay', 'blobs'), { recursive: true, withFileTypes: true })
  const filesOf = (found: ReturnType<typeof blobs>) => found.filter(entry => entry.isFile())
  const report = await doctor([], settingsOf(world))
  expect(report.of('files')).toEqual(['ok a file of 1024 bytes was uploaded to the relay and downloaded again'])
  await expect.poll(() => filesOf(blobs()).length, SOON).toBe(0)
  await expect.poll(() => readdirSync(join(world.directory, 'gateway', 'files')).length, SOON).toBe(0)
  expect(gateway.client.isOnline).toBe(true)
})

behindProxy('[CLI-6.9] a proxy that keeps files back is found', async ({ world, publicPort }) => {
  const noFiles = (path: string) => (path.startsWith('/blobs/') ? 413 : undefined)
  await using proxy = await front({ to: () => world.relayUrl, port: publicPort, refuse: noFiles })
  const env = settingsOf(world, { RELAY_URL: proxy.url })
  const gateway = await world.gateway(env)
  await gateway.client.whenOnline(WITHIN)
  const report = await doctor([], env)
  expect(report.of('login')).toEqual([expect.stringMatching(/^ok /)])
  expect(report.of('files')).toEqual([
    expect.stringMatching(/^FAIL a test file could not be sent to the relay and back.* → .*\/blobs\//),
  ])
  await world.closeGateway(gateway)
})

behindProxy(
  '[CLI-6.9] a file that hangs holds up neither the doctor nor the stop of the gateway',
  async ({ world, publicPort }) => {
    const asked = Promise.withResolvers<void>()
    const hanging = (path: string) => {
      if (!path.startsWith('/blobs/')) return undefined
      asked.resolve()
      return 0
    }
    await using proxy = await front({ to: () => world.relayUrl, port: publicPort, refuse: hanging })
    const env = settingsOf(world, { RELAY_URL: proxy.url })
    const gateway = await world.gateway(env)
    await gateway.client.whenOnline(WITHIN)
    const clock = new ManualClock(Date.now())
    const report = await passWhenAwaited(clock, doctorLimits.fileWithinMs, doctor([], env, { clock }))
    expect(report.of('files')).toEqual([
      expect.stringMatching(/^FAIL a test file did not come back from the relay within 15 seconds/),
    ])
    const request = { command: 'try-file', arguments: {} }
    const trial = askControl(join(world.directory, 'gateway'), { request }).catch((error: unknown) => error)
    await asked.promise
    await world.closeGateway(gateway)
    expect(await trial).toMatchObject({ code: 'stopping' })
  },
)

test('[CLI-6.2] beside a gateway that runs it changes nothing, and its bot stays where it is', async ({
  world,
  gateway,
}) => {
  const lost = vi.fn<() => void>()
  gateway.client.onConnectionChange(lost)
  const directory = join(world.directory, 'gateway')
  const before = readdirSync(directory).toSorted()
  const key = readFileSync(join(directory, 'db.key'))
  await doctor([], settingsOf(world))
  await doctor(['--webhook-test'], settingsOf(world))
  expect(readdirSync(directory).toSorted()).toEqual(before)
  expect(readFileSync(join(directory, 'db.key')).equals(key)).toBe(true)
  expect(lost).not.toHaveBeenCalled()
  expect((await gateway.api<unknown[]>('GET', '/v1/updates?timeout=0')).body).toEqual([])
  expect((await gateway.api<unknown[]>('GET', '/v1/chats')).body).toEqual([])
})
