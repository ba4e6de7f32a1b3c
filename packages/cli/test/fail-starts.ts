// Starts a command repeatedly in one process, and makes each start fail before another step. Reports what was left open.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CodedError } from '@postern/protocol'
import { type StartFunctions, StartSteps } from '@postern/testkit/start-steps'

/** `once`: every start finds the data of the one before, such as an account; otherwise each is the first. */
export type FailedStarts = {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  directory: string
  data: 'kept' | 'new'
  functions: StartFunctions
}
export type FailedStart = { step: string; code: number; left: string[]; files: string[] }
export type StartReport = { steps: number; whole: FailedStart; failed: FailedStart[]; missing: string[] }

const given = JSON.parse(process.argv[2] ?? '') as FailedStarts
const steps = new StartSteps(given.functions)
// Only now: the imported sources are instrumented.
const { runPostern } = await import('../src/postern.ts')

const descriptors = (): string[] => readdirSync('/proc/self/fd')
const resources = (): string[] => process.getActiveResourcesInfo().filter(name => name !== 'Immediate')

/** Entries that did not exist before the first start. */
function beyond(now: readonly string[], before: readonly string[]): string[] {
  const rest = [...now]
  for (const name of before) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1)
  return rest
}

/** The sockets that a start creates in its directory. */
const sockets = (): string[] =>
  (existsSync(given.directory) ? readdirSync(given.directory, { recursive: true, withFileTypes: true }) : [])
    .filter(entry => entry.isSocket())
    .map(({ name }) => name)

/** Without `failAt` it is stopped as soon as it runs. */
async function start(failAt: string | undefined): Promise<FailedStart & { reached: string[] }> {
  if (given.data === 'new') rmSync(given.directory, { recursive: true, force: true })
  const before = resources()
  const descriptorsBefore = descriptors().length
  const reached: string[] = []
  steps.onStep = step => {
    // It listens for signals by now, and handles them once it runs.
    if (reached.length === 0) process.emit('SIGTERM')
    reached.push(step)
    if (step === failAt) throw new CodedError('storage-full')
  }
  const code = await runPostern(given.argv, given.env)
  const left = () => [
    ...beyond(resources(), before),
    ...(descriptors().length > descriptorsBefore ? [`${descriptors().length - descriptorsBefore} descriptors`] : []),
  ]
  // A closed resource takes some turns until it is gone. The process of a failed start ends within a second.
  const untilMs = performance.now() + 1000
  while (performance.now() < untilMs && left().length > 0) await nextTurn()
  return { step: failAt ?? '', code, left: left(), files: sockets(), reached }
}

// The first start loads code that stays loaded.
await start(undefined)
const { reached, ...whole } = await start(undefined)
const failed: FailedStart[] = []
for (const step of new Set(reached)) {
  const { reached: _, ...report } = await start(step)
  failed.push(report)
}
const report: StartReport = { steps: new Set(reached).size, whole, failed, missing: steps.missing }
process.stderr.write(`\nreport ${JSON.stringify(report)}\n`)
// The process ends automatically: a resource that a start has left open would keep it alive.
