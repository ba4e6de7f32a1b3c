// The doctor as a shell runs it, next to a working gateway and where nothing runs: exit codes, deep checks, no changes.
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { WITHIN, type World } from '@postern/testkit'
import { TestAuthority } from '@postern/testkit/authority'
import { test as base } from '@postern/testkit/fixtures'
import { expect } from 'vitest'
import { front, settingsOf } from './doctor.ts'
import { run } from './process.ts'

const dataOf = (world: World) => join(world.directory, 'gateway')

const test = base
  .extend('gateway', async ({ world }) => {
    const gateway = await world.gateway(settingsOf(world))
    await gateway.client.whenOnline(WITHIN)
    return gateway
  })
  .extend(
    'doctor',
    ({ world }) =>
      (...argv: string[]) =>
        run(['doctor', ...argv], settingsOf(world)),
  )

const lineOf = (stdout: string, subject: string): string =>
  stdout.split('\n').find(line => line.slice(6).startsWith(`${subject} `)) ?? ''

/** Overwrites some pages in the middle of a large database, as a bad disk or a careless copy does. */
function damage(path: string, from: number): void {
  const { size } = statSync(path)
  const file = openSync(path, 'r+')
  for (let at = from; at < size; at += 8192) writeSync(file, Buffer.alloc(2000, 0xa5), 0, 2000, at)
  closeSync(file)
}

test('[CLI-6.2, CLI-6.13] beside a gateway that works the whole database is read, and nobody notices', async ({
  world,
  gateway,
  doctor,
}) => {
  const before = readdirSync(dataOf(world)).toSorted()
  const looking = doctor('--deep')
  // The gateway answers meanwhile.
  while ((await gateway.api('GET', '/v1/me')).status === 200 && (await isUnder(looking)));
  const { code, stdout, stderr } = await looking
  expect([code, stderr]).toEqual([0, ''])
  expect(lineOf(stdout, 'database')).toMatch(/^ok {4}database {3}intact, with tables of version \d+$/)
  expect(lineOf(stdout, 'process')).toMatch(/^ok /)
  expect(readdirSync(dataOf(world)).toSorted()).toEqual(before)
  // Its lock is still there: opening and closing the file in its own process would have dropped it.
  const second = await run(['gateway'], settingsOf(world))
  expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/in use by another process/)])
})

async function isUnder(work: Promise<unknown>): Promise<boolean> {
  return await Promise.race([work.then(() => false), new Promise<boolean>(resolve => setImmediate(resolve, true))])
}

test('[CLI-6.2, CLI-6.13] where nothing runs nothing is changed, and the next start finds all of it', async ({
  world,
  gateway,
  doctor,
}) => {
  await world.closeGateway(gateway)
  const path = join(dataOf(world), 'core.db')
  const before = { names: readdirSync(dataOf(world)).toSorted(), bytes: readFileSync(path) }
  const { code, stdout, stderr } = await doctor('--deep')
  expect([code, stderr]).toEqual([0, ''])
  expect(lineOf(stdout, 'process')).toMatch(/^warn {2}process {4}no gateway is running on the directory → start it/)
  expect(lineOf(stdout, 'login') + lineOf(stdout, 'files')).toBe('')
  expect(lineOf(stdout, 'database')).toMatch(/^ok /)
  expect(readdirSync(dataOf(world)).toSorted()).toEqual(before.names)
  expect(readFileSync(path).equals(before.bytes)).toBe(true)
  const again = await world.gateway(settingsOf(world))
  await again.client.whenOnline(WITHIN)
})

test.for([
  ['as soon as it is opened', 8192],
  ['where nobody looks at the start', 100_000],
] as const)(
  '[CLI-6.13] a database that is damaged is found with --deep, and not looked for without: %s',
  async ([, from], { world, gateway, doctor }) => {
    await world.closeGateway(gateway)
    damage(join(dataOf(world), 'core.db'), from)
    const { code, stdout } = await doctor('--deep')
    expect(code).toBe(1)
    expect(lineOf(stdout, 'database')).toMatch(/^FAIL {2}database {3}the database is damaged → .*restore a backup/)
    expect(readdirSync(dataOf(world)).filter(name => name.startsWith('.'))).toEqual([])
    const shallow = await doctor()
    expect([shallow.code, lineOf(shallow.stdout, 'database')]).toEqual([0, ''])
  },
)

test('[CLI-6.13] the same of a relay', async ({ world }) => {
  const data = join(world.directory, 'relay')
  const argv = ['relay', '--data', data, '--listen', new URL(world.relayUrl).host, '--app', 'off']
  const whole = await run(['doctor', ...argv, '--deep'])
  expect([whole.code, lineOf(whole.stdout, 'database')]).toEqual([0, expect.stringMatching(/^ok /)])
  await world.stopRelay()
  damage(join(data, 'relay.db'), 8192)
  const damaged = await run(['doctor', ...argv, '--deep'])
  expect([damaged.code, lineOf(damaged.stdout, 'database')]).toEqual([
    1,
    expect.stringMatching(/^FAIL .*the database is damaged/),
  ])
})

test('[CLI-6.12] a backup is noted, for the owner of the directory, and the doctor finds it', async ({
  world,
  gateway: _runs,
  doctor,
}) => {
  expect(lineOf((await doctor()).stdout, 'backup')).toMatch(/^warn {2}backup {5}no backup is recorded/)
  const made = await run(['backup', '--data', dataOf(world), '--to', join(world.directory, 'b'), '--plain'])
  // On a busy machine it also says how far it is.
  expect(made).toMatchObject({ code: 0 })
  expect(lineOf((await doctor()).stdout, 'backup')).toMatch(/^ok {4}backup {5}the last backup is 0 minutes old/)
  expect(statSync(join(dataOf(world), 'last-backup')).mode & 0o777).toBe(0o600)
  const refused = await run(['backup', '--data', dataOf(world), '--to', join(world.directory, 'b'), '--plain'])
  expect(refused.code).toBe(1)
})

test('[CLI-6.1] exit codes: 0, 1 where something is FAIL, 2 for a command line that is wrong', async ({
  world,
  gateway: _runs,
  doctor,
}) => {
  expect((await doctor()).code).toBe(0)
  expect(await run(['doctor'], { DATA_DIR: dataOf(world) })).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^FAIL {2}settings {3}BOT_TOKEN: [^\n]* → /),
    stderr: '',
  })
  for (const argv of [['--what'], ['now'], ['--settings'], ['--settings', '/nowhere'], ['relay', '--what']]) {
    const { code, stdout, stderr } = await doctor(...argv)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^postern doctor: [^\n]+\.\nRun "postern doctor( relay)? --help" to see its options\.\n$/)
  }
})

test('[CLI-6.18] an authority of its own is trusted, by the environment and by a file of settings', async ({
  world,
}) => {
  const authority = new TestAuthority(join(world.directory, 'authority'))
  await using proxy = await front({ to: () => world.relayUrl, certificate: authority.issue({ days: 60 }) })
  const RELAY_URL = `https://localhost:${proxy.port}`
  const line = async (argv: string[], env: Record<string, string>) =>
    lineOf((await run(['doctor', ...argv], settingsOf(world, env))).stdout, 'relay')
  expect(await line([], { RELAY_URL })).toMatch(/^FAIL .*does not trust.* → .*NODE_EXTRA_CA_CERTS/)
  expect(await line([], { RELAY_URL, NODE_EXTRA_CA_CERTS: authority.path })).toMatch(/^ok /)
  const file = join(world.directory, 'bot.env')
  writeFileSync(file, `RELAY_URL=${RELAY_URL}\nNODE_EXTRA_CA_CERTS=${authority.path}\n`)
  expect(await line(['--settings', file], {})).toMatch(/^ok /)
})

test('[CLI-6.17] what prevents a start is exit code 1, where nothing runs', async ({ world, gateway, doctor }) => {
  await world.closeGateway(gateway)
  expect((await doctor()).code).toBe(0)
  rmSync(join(dataOf(world), 'db.key'))
  const { code, stdout } = await doctor()
  expect([code, lineOf(stdout, 'database')]).toEqual([1, expect.stringMatching(/^FAIL .* but no db\.key → restore/)])
  expect(readdirSync(dataOf(world))).not.toContain('db.key')
})

test('[CLI-6.3] with a receiver that never answers the process ends all the same', async ({ world }) => {
  const server = createServer(socket => socket.on('error', () => undefined))
  const { promise: listening, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await listening
  const { port } = server.address() as { port: number }
  const silent = settingsOf(world, { WEBHOOK_URL: `http://127.0.0.1:${port}/`, WEBHOOK_SECRET: 'hush' })
  const { code, stdout } = await run(['doctor'], silent)
  expect(code).toBe(1)
  expect(lineOf(stdout, 'webhook')).toMatch(/^FAIL .*did not answer within 5 seconds/)
  server.close()
})
