// A start that fails at any of its steps: one line, exit code 1, and nothing stays open.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { testInOneWorld } from '@postern/testkit/fixtures'
import { freePort } from '@postern/testkit/free-port'
import { findPostgres } from '@postern/testkit/postgres'
import type { StartFunctions } from '@postern/testkit/start-steps'
import { newDatabase } from '@postern/testkit/test-databases'
import { describe, expect, onTestFinished } from 'vitest'
import type { FailedStarts, StartReport } from './fail-starts.ts'

const IN_ONE_PROCESS = join(import.meta.dirname, 'fail-starts.ts')
const PRELOAD = pathToFileURL(join(import.meta.dirname, 'fail-one-start.ts')).href
const LAUNCHER = join(import.meta.dirname, '../bin/postern.mjs')

const client: StartFunctions = {
  'packages/core/src/platform-node.ts': ['openNodeClient'],
  'packages/core/src/client/open-client.ts': ['openClient'],
}
const gateway: StartFunctions = {
  ...client,
  'packages/gateway/src/gateway.ts': ['startGateway', 'openGateway', 'serve'],
  'packages/gateway/src/hooks/start-hooks.ts': ['openHooks', 'restHooks'],
  'packages/gateway/src/hooks/serve-hooks.ts': ['serveHooks'],
  'packages/gateway/src/updates/updates.ts': ['openMode'],
}
const relay: StartFunctions = {
  'packages/relay/src/relay.ts': ['startRelay', 'openRelay', 'openParts', 'openStore'],
  'packages/relay/src/operator/operator-services.ts': ['openOperatorDesk'],
  'packages/relay/src/operator/serve-metrics.ts': ['serveMetrics'],
  'packages/relay/src/blobs/open-blobs.ts': ['openBlobs', 'open'],
}
/** A process runs even without a control socket. */
const control: StartFunctions = { 'packages/protocol/src/control/control-server-node.ts': ['ControlServer.#listen'] }

async function node(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end()
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = (await once(child, 'close')) as [number | null]
  const [, stderr] = await said
  return { code, stderr }
}

/** The process must end without help, or the test does not end. */
async function failStarts(starts: FailedStarts): Promise<StartReport> {
  const { code, stderr } = await node([IN_ONE_PROCESS, JSON.stringify(starts)])
  const report = /^report (.*)$/m.exec(stderr)?.[1]
  expect([code, report === undefined ? stderr : '']).toEqual([0, ''])
  return JSON.parse(report ?? '') as StartReport
}

const wrongIn = ({ failed }: StartReport, code: number) =>
  failed.filter(({ code: own, left, files }) => own !== code || [...left, ...files].length > 0)

function expectWhole(report: StartReport, { stepsMin, code = 1 }: { stepsMin: number; code?: number }): void {
  expect(report.whole).toEqual({ step: '', code: 0, left: [], files: [] })
  expect(report.steps).toBeGreaterThanOrEqual(stepsMin)
  expect(wrongIn(report, code)).toEqual([])
}

const test = testInOneWorld
  .extend('gatewayStart', ({ world }) => async (name: string, env: Record<string, string> = {}) => {
    const directory = join(world.directory, name)
    const own = { BOT_TOKEN: 'a-token-of-sixteen', BOT_NAME: 'bot', RELAY_URL: world.relayUrl, DATA_DIR: directory }
    return { argv: ['gateway'], directory, env: { ...own, LISTEN: `127.0.0.1:${await freePort()}`, ...env } }
  })
  .extend('relayStart', ({ world }) => async (name: string, options: readonly string[] = []) => {
    const directory = join(world.directory, name)
    const listen = ['--listen', `127.0.0.1:${await freePort()}`, '--metrics', `127.0.0.1:${await freePort()}`]
    return { argv: ['relay', ...listen, '--data', directory, '--app', 'off', ...options], directory, env: {} }
  })

describe('a gateway', () => {
  test('[GATEWAY-3.18] with hooks and a webhook, at its first start', async ({ gatewayStart }) => {
    const env = {
      HOOKS_URL: 'http://127.0.0.1:9',
      WEBHOOK_URL: 'http://127.0.0.1:9/x',
      WEBHOOK_SECRET: 'a secret of 16',
    }
    const report = await failStarts({ ...(await gatewayStart('served', env)), data: 'new', functions: gateway })
    expectWhole(report, { stepsMin: 50 })
    expect(report.missing).toEqual([])
  })

  test('[GATEWAY-3.18] of which nobody reads updates and whose hooks are off, at a later start', async ({
    gatewayStart,
  }) => {
    const starts = await gatewayStart('quiet', { UPDATES: 'off', REFERENCE: 'on' })
    expectWhole(await failStarts({ ...starts, data: 'kept', functions: gateway }), { stepsMin: 40 })
  })

  test('[PROTOCOL-6.5] whose control socket fails at any step runs without one, and a stop leaves nothing', async ({
    gatewayStart,
  }) => {
    const report = await failStarts({ ...(await gatewayStart('deaf')), data: 'kept', functions: control })
    expectWhole(report, { stepsMin: 6, code: 0 })
  })
})

describe('a relay', () => {
  test('[RELAY-5.14] on SQLite', async ({ relayStart }) => {
    const functions = { ...relay, 'packages/relay/src/store/sqlite/sqlite-store.ts': ['openSqliteStore'] }
    const report = await failStarts({ ...(await relayStart('on-sqlite')), data: 'new', functions })
    expectWhole(report, { stepsMin: 35 })
    expect(report.missing).toEqual([])
  })

  test.skipIf(findPostgres() === undefined)('[RELAY-5.14] on PostgreSQL', async ({ relayStart }) => {
    const functions = { ...relay, 'packages/relay/src/store/postgres/postgres-store.ts': ['openPostgresStore'] }
    const starts = await relayStart('on-postgresql', ['--database', await newDatabase()])
    expectWhole(await failStarts({ ...starts, data: 'new', functions }), { stepsMin: 35 })
  })
})

test('[CLI-1.22] a person whose start fails at any step', async ({ world }) => {
  const directory = join(world.directory, 'alice')
  const argv = ['person', '--relay', world.relayUrl, '--data', directory, '--name', 'alice']
  const functions = { ...client, 'packages/cli/src/person/run-person.ts': ['livePerson'] }
  expectWhole(await failStarts({ argv, env: {}, directory, data: 'new', functions }), { stepsMin: 30 })
})

test('[CLI-1.22] a demo whose start fails at any step', async ({ world }) => {
  const directory = join(world.directory, 'demo')
  const ports = ['--relay-port', `${await freePort()}`, '--gateway-port', `${await freePort()}`]
  const argv = ['demo', '--app', 'off', '--data', directory, ...ports]
  const functions = { 'packages/cli/src/demo/run-demo.ts': ['runOpened'] }
  expectWhole(await failStarts({ argv, env: {}, directory, data: 'new', functions }), { stepsMin: 5 })
})

describe('a process of its own', () => {
  const failIn = (functions: StartFunctions) => ({ POSTERN_FAIL_IN: JSON.stringify(functions) })

  test('[CLI-1.22] of a gateway whose hooks cannot be opened says so in one line and exits 1', async ({
    gatewayStart,
  }) => {
    const { argv, env } = await gatewayStart('full', { HOOKS_URL: 'http://127.0.0.1:9' })
    const hooks = failIn({ 'packages/gateway/src/hooks/serve-hooks.ts': ['serveHooks'] })
    const { code, stderr } = await node(['--import', PRELOAD, LAUNCHER, ...argv], { ...env, ...hooks })
    expect([code, stderr]).toEqual([1, 'The disk is full. Nothing can be written until there is free space.\n'])
  })

  test('[CLI-1.22] exits 1 also where something that it did not open keeps it alive', async ({ relayStart }) => {
    const { argv } = await relayStart('leaking')
    const parts = failIn({ 'packages/relay/src/relay.ts': ['openParts'] })
    const { code } = await node(['--import', PRELOAD, LAUNCHER, ...argv], { ...parts, POSTERN_LEAK: 'a timer' })
    expect(code).toBe(1)
  })
})
