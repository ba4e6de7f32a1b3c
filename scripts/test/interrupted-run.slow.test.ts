// After an interrupted test run, none of its relays, databases and browsers may still run hours later.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Starts a child that nobody ends, one in its own process group, and a stopped one, and then waits. */
const LEAVES_CHILDREN = `
import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { test } from 'vitest'
test('waits', async () => {
  const started = [
    spawn('sleep', ['600'], { env: {} }),
    spawn('sleep', ['600'], { env: {}, detached: true }),
    spawn('sleep', ['600'], { env: {} }),
  ]
  started[2].kill('SIGSTOP')
  writeFileSync('pids.part', JSON.stringify([process.pid, ...started.map(({ pid }) => pid)]))
  renameSync('pids.part', 'pids')
  await new Promise(() => setInterval(() => undefined, 1000))
}, 600_000)
`

async function startRun(): Promise<{ run: ChildProcess; pids: number[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-interrupted-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = {
    'waits.test.ts': LEAVES_CHILDREN,
    'vitest.config.ts': `export default { test: {
      pool: 'forks',
      setupFiles: ['${join(root, 'packages/testkit/test/code-cache.ts')}'],
      globalSetup: ['${join(root, 'packages/testkit/test/end-with-run.ts')}'],
    } }`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  // In its own process group, as a shell gives each job: Ctrl-C goes to all of them.
  const run = spawn(process.execPath, [vitest, 'run'], { cwd: folder, stdio: 'ignore', detached: true })
  onTestFinished(() => void run.kill('SIGKILL'))
  const said = join(folder, 'pids')
  await expect.poll(() => existsSync(said)).toBe(true)
  return { run, pids: JSON.parse(readFileSync(said, 'utf8')) as number[] }
}

/** A zombie has ended: its new parent has not collected it yet. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

test.for(['SIGTERM', 'SIGINT'] as const)('a run that is ended by %s leaves no process behind', async signal => {
  const { run, pids } = await startRun()
  expect(pids.filter(isRunning)).toEqual(pids)
  const ended = once(run, 'exit')
  // A terminal sends SIGINT to the whole group, a supervisor SIGTERM to one process.
  process.kill(signal === 'SIGINT' ? -(run.pid as number) : (run.pid as number), signal)
  await ended
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
})
