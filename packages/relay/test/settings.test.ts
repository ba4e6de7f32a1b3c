// Settings: their sources, what is refused, and which of them change while a relay runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DAY_MS } from '@postern/protocol'
import { askControl } from '@postern/protocol/control'
import { freePort } from '@postern/testkit/free-port'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeInvite } from '../src/commands/invite.ts'
import { markRestored } from '../src/commands/mark-restored.ts'
import { readConfig } from '../src/index.ts'
import { arrive, temporaryDirectory, testRelay } from './relay-fixture.ts'
import { newPerson, TestClient } from './test-client.ts'

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname
const always = ['--data', 'x', '--listen', '127.0.0.1:0']

function settingsFile(text: string): string {
  const path = join(temporaryDirectory(), 'relay.env')
  writeFileSync(path, text)
  return path
}

describe('a file of settings', () => {
  test('[RELAY-5.12] has more weight than the environment, and less than the command line', () => {
    const file = settingsFile(
      [
        '# ours',
        '',
        'POSTERN_RELAY_REGISTRATION=closed',
        'POSTERN_RELAY_BLOBS_MAX="5G"',
        'POSTERN_RELAY_KEEP_DAYS=7',
        'POSTERN_RELAY_LIMITS=connectionsMax=5,unauthenticatedMax=6',
        'POSTERN_RELAY_PUBLIC_HOSTS=one.example,two.example',
        'LOG_LEVEL=debug',
      ].join('\n'),
    )
    const env = { POSTERN_RELAY_SETTINGS: file, POSTERN_RELAY_REGISTRATION: 'open', POSTERN_RELAY_KEEP_DAYS: '3' }
    expect(readConfig(always, env)).toMatchObject({
      registration: 'closed',
      logLevel: 'debug',
      publicHosts: ['one.example', 'two.example'],
      limits: { blobsBytesMax: 5 * 2 ** 30, keepEntriesMs: 7 * DAY_MS, connectionsMax: 5, unauthenticatedMax: 6 },
    })
    expect(readConfig([...always, '--settings', file, '--keep-days', '9'], {})).toMatchObject({
      limits: { keepEntriesMs: 9 * DAY_MS },
    })
  })

  test.for([
    ['POSTERN_RELAY_REGISTRATON=open', /:1: POSTERN_RELAY_REGISTRATON is not a setting/],
    ['\nregistration: open', /:2: must be NAME=value/],
    ['PATH=/tmp', /PATH is not a setting/],
    ['POSTERN_RELAY_SETTINGS=/etc/passwd', /POSTERN_RELAY_SETTINGS is not a setting/],
    ['POSTERN_RELAY_REGISTRATION=everybody', /^--registration: "everybody" is not one of/],
  ] as const)('[RELAY-5.12] %j is refused', ([text, words]) => {
    expect(() => readConfig([...always, '--settings', settingsFile(text)], {})).toThrow(words)
  })

  test('[RELAY-5.12] one that is not there is refused', () => {
    expect(() => readConfig([...always, '--settings', '/nonexistent'], {})).toThrow(/^--settings: .*ENOENT/)
  })
})

describe('secrets in files', () => {
  const database = 'postgres://alice:secret@127.0.0.1:1/postern'

  test('[RELAY-5.15] the address of the database and the keys for files', () => {
    const files = {
      POSTERN_RELAY_DATABASE_FILE: settingsFile(`${database}\n`),
      AWS_ACCESS_KEY_ID_FILE: settingsFile('alices-key\n'),
      AWS_SECRET_ACCESS_KEY_FILE: settingsFile('alices-secret\n'),
      AWS_SESSION_TOKEN_FILE: settingsFile('alices-token\n'),
    }
    const config = readConfig([...always, '--blobs', 's3://blobs'], files)
    expect(config.database).toBe(database)
    expect(config.blobs?.kind === 's3' && config.blobs.environment()).toMatchObject({
      AWS_ACCESS_KEY_ID: 'alices-key',
      AWS_SECRET_ACCESS_KEY: 'alices-secret',
      AWS_SESSION_TOKEN: 'alices-token',
    })
  })

  test('[RELAY-5.15] a file of settings can name that of the database', () => {
    const settings = settingsFile(`POSTERN_RELAY_DATABASE_FILE=${settingsFile(database)}`)
    expect(readConfig([...always, '--settings', settings], {}).database).toBe(database)
  })

  test('[RELAY-5.15] what is wrong with a file is said by its variable, also to the commands', async () => {
    const env = { POSTERN_RELAY_DATABASE_FILE: '/nonexistent', POSTERN_RELAY_DATA: temporaryDirectory() }
    const words = /^POSTERN_RELAY_DATABASE_FILE: .*ENOENT/
    expect(() => readConfig(always, env)).toThrow(words)
    await expect(makeInvite([], env)).rejects.toThrow(words)
    await expect(markRestored([], env)).rejects.toThrow(words)
    const wrong = { POSTERN_RELAY_DATABASE_FILE: settingsFile('a-secret-that-is-no-address') }
    expect(() => readConfig(always, wrong)).toThrow(/^--database: (?!.*a-secret)/)
  })
})

test.for([
  ['--keep-days', '0'],
  ['--keep-days', '31'],
  ['--keep-blobs-days', '366'],
  ['--blobs-max', '5X'],
  ['--blobs-max', ''],
  ['--blobs-max', '9999999999T'],
  ['--database-max', '10K'],
  ['--disk-reserve', 'much'],
  ['--limit', 'writesPerTransactionMax=0'],
  ['--limit', 'sweepEveryMs=0'],
  ['--limit', 'heartbeatMs=10'],
  ['--limit', 'connectionsMax=-1'],
] as const)('[RELAY-5.12] %s %s is refused, and named', ([option, value]) => {
  expect(() => readConfig([...always, option, value], {})).toThrow(new RegExp(`^${option}`))
})

test('[RELAY-5.12] sizes and days are what they say', () => {
  const given = ['--keep-blobs-days', '90', '--blobs-max', '50g', '--database-max', '2T', '--disk-reserve', '8G']
  expect(readConfig([...always, ...given, '--limit', 'newPeoplePerDay=0'], {}).limits).toEqual({
    keepBlobsMs: 90 * DAY_MS,
    blobsBytesMax: 50 * 2 ** 30,
    databaseBytesMax: 2 ** 41,
    diskFreeForBlobsBytesMin: 2 ** 33,
    diskFreeBytesMin: 2 ** 30,
    newPeoplePerDay: 0,
  })
})

test('[RELAY-5.11] what changes counts at once, also for who is connected; what does not is named', async () => {
  const relay = await testRelay()
  const alice = await arrive(relay)
  const changed = relay.change({ limits: { blobBytesMax: 10, databaseBytesMax: 2 ** 30 }, registration: 'closed' })
  expect(changed).toEqual({ changed: ['blobBytesMax', 'registration'], afterRestart: ['databaseBytesMax'] })
  await expect(alice.call('beginBlob', { size: 11 })).rejects.toMatchObject({ code: 'too-large' })
  await expect(arrive(relay)).rejects.toMatchObject({ code: 'registration-closed' })
  expect(relay.change({ limits: {}, registration: 'open' }).changed).toEqual(['blobBytesMax', 'registration'])
  await alice.call('beginBlob', { size: 11 })
  await arrive(relay)
})

type Line = { msg: string } & Record<string, unknown>

/** A relay as a process, and the lines of its log as they arrive. */
async function runningRelay(file: string) {
  const data = temporaryDirectory()
  const port = await freePort()
  const args = [MAIN, '--data', data, '--listen', `127.0.0.1:${port}`, '--settings', file]
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  const lines = createInterface({ input: child.stdout ?? process.stdin })[Symbol.asyncIterator]()
  const says = async (words: string): Promise<Line> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`it ended without ${words}`)
      const line = JSON.parse(value) as Line
      if (line.msg.includes(words)) return line
    }
  }
  await says('listening')
  return { child, says, data, url: `http://127.0.0.1:${port}` }
}

test('[RELAY-5.11] SIGHUP reads them again; what is wrong changes nothing, and nobody is cut off', async () => {
  const file = settingsFile('POSTERN_RELAY_REGISTRATION=open\n')
  const { child, says, data, url } = await runningRelay(file)
  const registration = async () =>
    ((await askControl(data, { request: { command: 'status', arguments: {} } })) as Line)['registration']
  const alice = new TestClient(url)
  onTestFinished(() => alice.socket.terminate())
  await alice.authenticate(newPerson())
  writeFileSync(file, 'POSTERN_RELAY_REGISTRATION=closed\nPOSTERN_RELAY_LIMITS=blobBytesMax=many\n')
  child.kill('SIGHUP')
  expect(await says('not reloaded')).toMatchObject({ level: 'warn', reason: expect.stringContaining('blobBytesMax') })
  expect(await registration()).toBe('open')
  writeFileSync(file, 'POSTERN_RELAY_REGISTRATION=closed\nPOSTERN_RELAY_PUBLIC_HOSTS=relay.example\nLOG_LEVEL=debug\n')
  child.kill('SIGHUP')
  expect(await says('settings reloaded')).toMatchObject({
    changed: ['registration', 'LOG_LEVEL'],
    afterRestart: ['publicHosts'],
  })
  expect(await registration()).toBe('closed')
  await alice.call('ping', {})
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
