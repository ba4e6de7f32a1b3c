// The doctor's findings about a running relay, a stopped one, and settings that expose too much.
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '@postern/relay'
import { freePort } from '@postern/testkit'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { checkPush } from '../src/doctor/check-push.ts'
import { readDoctorSettings } from '../src/doctor/doctor-settings.ts'
import { doctor, front, goodMachine, receiver, status } from './doctor.ts'

const test = base
  .extend('data', ({ world }) => join(world.directory, 'relay'))
  .extend('own', ({ world, data }) => {
    const { host } = new URL(world.relayUrl)
    return ['relay', '--data', data, '--listen', host, '--public-host', host]
  })
  .extend('backedUp', ({ data }) => {
    writeFileSync(join(data, 'last-backup'), `${new Date().toISOString()}\n`, { mode: 0o600 })
  })

test('[CLI-6.15] a relay with which nothing is wrong: a line for each thing, all of them ok', async ({
  own,
  backedUp: _made,
}) => {
  const { code, text } = await doctor(own, {})
  const lines = text.trimEnd().split('\n')
  expect(lines.filter(line => !line.startsWith('ok    '))).toEqual([])
  const subjects = lines.map(line => line.slice(6, 17).trimEnd())
  const named = ['settings', 'program', 'directory', 'disk', 'backup', 'process', 'register', 'push', 'room', 'host']
  expect([code, subjects]).toEqual([0, named])
})

test('[CLI-6.15] settings come from the environment and a file as they do for the relay', async ({ data, world }) => {
  const { host } = new URL(world.relayUrl)
  const file = join(world.directory, 'relay.env')
  writeFileSync(file, `POSTERN_RELAY_PUBLIC_HOSTS=${host}\nPOSTERN_RELAY_METRICS=0.0.0.0:9090\n`)
  const env = { POSTERN_RELAY_DATA: data, POSTERN_RELAY_LISTEN: host }
  const { of } = await doctor(['relay', '--settings', file], env)
  expect(of('host')).toEqual([`ok clients can connect to http://${host}`])
  expect(of('metrics')).toEqual([expect.stringMatching(/^warn the metrics are public on all addresses.* → /)])
})

test('[CLI-6.15] settings with which no relay starts are found, and the directory is still looked at', async ({
  data,
  world,
}) => {
  const hostless = await doctor(['relay', '--data', data, '--listen', ':0'], {})
  expect(hostless.of('settings')).toEqual([expect.stringMatching(/^FAIL --public-host: .* → correct the setting/)])
  expect(hostless.of('directory')).toEqual([expect.stringMatching(/^ok /)])
  expect(hostless.code).toBe(1)
  const mistyped = await doctor(['relay', '--data', data, '--listen', 'here'], {})
  expect(mistyped.of('settings')).toEqual([expect.stringMatching(/^FAIL --listen: /)])
  const appless = await doctor(
    ['relay', '--data', data, '--listen', '127.0.0.1:0', '--app', join(world.directory, 'x')],
    {},
  )
  expect(appless.of('settings')).toEqual([expect.stringMatching(/^FAIL --app: /)])
  expect((await doctor(['relay'], {})).of('settings')).toEqual([expect.stringMatching(/^FAIL --data: /)])
})

test.for([
  [['--registration', 'open'], 'warn', 'can register and store files'],
  [['--registration', 'invite'], 'ok', 'invite'],
  [[], 'ok', 'invite'],
] as const)('[CLI-6.15] others reach it, with %j: %s', async ([more, state, words], { world }) => {
  const elsewhere = join(world.directory, 'another')
  const argv = ['relay', '--data', elsewhere, '--listen', ':0', '--public-host', 'relay.example', ...more]
  const { of } = await doctor(argv, {})
  expect(of('register')).toEqual([expect.stringMatching(new RegExp(`^${state} .*${words}`))])
  expect(of('process')).toEqual([expect.stringMatching(/^warn no relay is running on the directory/)])
  expect(of('host')).toEqual([])
})

test('[CLI-6.15] what the running relay was told counts, and not what it would be told at its next start', async ({
  own,
}) => {
  const { of } = await doctor([...own, '--registration', 'invite', '--public-host', 'relay.invalid'], {})
  expect(of('register')).toEqual([expect.stringMatching(/^warn anyone who can reach this relay can register/)])
})

test.for([
  ['127.0.0.1:9090', 'ok'],
  ['10.1.2.3:9090', 'ok'],
  ['[fd00::1]:9090', 'ok'],
  ['0.0.0.0:9090', 'warn'],
  ['[::]:9090', 'warn'],
  ['203.0.113.7:9090', 'FAIL'],
  ['172.32.0.1:9090', 'FAIL'],
  ['[2001:db8::1]:9090', 'FAIL'],
] as const)('[CLI-6.15] metrics on %s: %s', async ([address, state], { own }) => {
  const { of, code } = await doctor([...own, '--metrics', address], {})
  expect(of('metrics')).toEqual([expect.stringMatching(new RegExp(`^${state} `))])
  expect(code).toBe(state === 'FAIL' ? 1 : 0)
})

test('[CLI-6.15] files that others can read are found', async ({ own, data }) => {
  chmodSync(join(data, 'relay.db'), 0o604)
  const { of } = await doctor(own, {})
  expect(of('directory')).toEqual([expect.stringMatching(/^FAIL every user .* read relay\.db → chmod go= /)])
})

const full = test.extend('worldOptions', () => ({ relayLimits: { blobsBytesMax: 0 } }))

full('[CLI-6.15] a relay that has no room for files is found', async ({ own }) => {
  const { of, code } = await doctor(own, {})
  expect([code, of('room')]).toEqual([
    1,
    [expect.stringMatching(/^FAIL the relay rejects files: there is no free space → /)],
  ])
})

test('[CLI-6.15] where nothing runs the disk says whether there would be room', async ({ own, world }) => {
  await world.stopRelay()
  expect((await doctor(own, {})).of('room')).toEqual(['ok the relay accepts messages and files'])
  const machine = { readDisk: () => ({ ...goodMachine().readDisk('/'), freeBytes: 9e8 }) }
  const reserved = await doctor(own, {}, { machine })
  expect(reserved.of('room')).toEqual([expect.stringMatching(/^FAIL the relay rejects files/)])
  const less = await doctor([...own, '--disk-reserve', '500M'], {}, { machine })
  expect(less.of('room')).toEqual(['ok the relay accepts messages and files'])
  await world.startRelay()
})

test('[CLI-6.15] a public host that does not lead to this relay, to no relay, or nowhere', async ({ own, world }) => {
  await using proxy = await front({ to: () => world.relayUrl })
  const unknown = await doctor([...own, '--public-host', proxy.host], {})
  expect(unknown.of('host')[1]).toMatch(/^FAIL the relay at .* rejects clients that use this host → restart the relay/)
  await using shop = await receiver(status(200))
  const elsewhere = await doctor([...own, '--public-host', shop.host], {})
  expect(elsewhere.of('host')[1]).toMatch(/^FAIL the server at .* is not this relay/)
  const nowhere = await doctor([...own, '--public-host', `127.0.0.1:${await freePort()}`], {})
  expect(nowhere.of('host')[1]).toMatch(/^warn .* does not answer from here/)
})

test('[CLI-6.1] a command line that no relay knows is wrong', async ({ own }) => {
  const settings = () => readDoctorSettings(['relay', '--what'], {})
  expect(settings).not.toThrow()
  await expect(doctor([...own, '--what'], {})).rejects.toThrow(/--what/)
  await expect(doctor(['relay', 'status'], {})).rejects.toThrow(/status/)
})

test('[CLI-6.12] with the note of a backup in it the directory of a relay is still closed to others', async ({
  world,
  data,
  backedUp: _made,
}) => {
  await world.stopRelay()
  chmodSync(data, 0o755)
  await world.startRelay()
  expect(statSync(data).mode & 0o777).toBe(0o700)
})

test('[CLI-6.19] a relay that reaches no push service is a warning, and one that does not push is none', () => {
  const config = readConfig(['--data', 'x', '--listen', '127.0.0.1:0'], {})
  expect(checkPush(config, 'unreachable')).toMatchObject([
    { state: 'warn', todo: expect.stringContaining('--push off') },
  ])
  for (const push of ['on', undefined] as const) expect(checkPush(config, push)).toMatchObject([{ state: 'ok' }])
  expect(checkPush({ ...config, push: 'off' }, 'unreachable')).toMatchObject([{ state: 'ok' }])
})
