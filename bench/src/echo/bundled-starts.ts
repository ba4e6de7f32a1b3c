// The bundled gateway compared with the same from its sources: the time to its first answer, and its memory then.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundle } from '@postern/cli/bundle'
import { inTurn, median } from '../figures.ts'
import { Child, NODE_FLAGS } from '../processes/child.ts'
import { freePort, healthy } from '../processes/timed-start.ts'
import type { Row } from '../table.ts'

const ROUNDS = 5
/** The garbage of a start is collected by then. */
const SETTLE_MS = 1000
const ROOT = join(import.meta.dirname, '../../..')

type Shipped = { launcher: string; dataDirectory: string; healthyMs: number[]; rssMib: number[] }

export async function bundledStartRows(directory: string): Promise<Row[]> {
  const dist = join(directory, 'dist')
  await bundle(dist, { app: undefined })
  symlinkSync(join(ROOT, 'node_modules'), join(dist, 'node_modules'))
  const relay = await Child.start<{ url: string }>(new URL('../processes/relay.ts', import.meta.url), {
    directory: join(directory, 'relay'),
  })
  const started = (name: string, launcher: string): Shipped => ({
    launcher,
    dataDirectory: join(directory, name),
    healthyMs: [],
    rssMib: [],
  })
  const bundled = started('bundled', join(dist, 'postern.js'))
  const sources = started('sources', join(ROOT, 'packages/cli/bin/postern.mjs'))
  const both = [sources, bundled]
  // Once for the account and for the cache of compiled code.
  for (const one of both) await measure({ ...one, healthyMs: [], rssMib: [] }, relay.state.url)
  await inTurn(
    ROUNDS,
    both.map(one => () => measure(one, relay.state.url)),
  )
  await relay.stop()
  const row = (what: string, unit: string, of: (one: Shipped) => number[]): Row => ({
    what: `${what}, bundled`,
    ours: median(of(bundled)),
    unit,
    peer: { what: 'from the sources', figure: median(of(sources)), better: 'less' },
  })
  return [
    row('gateway start to /healthz', 'ms', one => one.healthyMs),
    row('RSS of gateway, idle', 'MiB', one => one.rssMib),
  ]
}

async function measure({ launcher, dataDirectory, healthyMs, rssMib }: Shipped, relayUrl: string): Promise<void> {
  const port = await freePort()
  const env = {
    BOT_TOKEN: 'bench-token',
    BOT_NAME: 'Echo',
    RELAY_URL: relayUrl,
    LISTEN: `127.0.0.1:${port}`,
    DATA_DIR: dataDirectory,
    LOG_LEVEL: 'error',
  }
  const startedMs = performance.now()
  const gateway = spawn(process.execPath, [...NODE_FLAGS, launcher, 'gateway'], { env, stdio: 'inherit' })
  await healthy(port)
  healthyMs.push(performance.now() - startedMs)
  await wait(SETTLE_MS)
  rssMib.push(rssMibOf(gateway))
  const ended = once(gateway, 'exit')
  gateway.kill('SIGTERM')
  await ended
}

/** As the kernel counts it: this process does not report its memory. */
function rssMibOf({ pid }: ChildProcess): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1024
}
