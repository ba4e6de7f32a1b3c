// `npm run check`: everything but the tests. `npm run check -- lint types` runs only these.
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const atOnceMax = 2

/** The longest first, so that none of them runs alone at the end. */
const checks: Readonly<Record<string, readonly string[]>> = {
  types: ['tsc', '-p', '.'],
  'types of the app': ['tsc', '-p', 'packages/app'],
  lint: ['oxlint', '--deny-warnings'],
  'dead code': ['knip', '--no-progress', '--no-config-hints'],
  architecture: ['node', 'scripts/check-architecture.ts'],
  format: ['biome', 'check', '.'],
  openapi: ['node', 'scripts/check-openapi.ts'],
  documents: ['node', 'scripts/check-documents.ts'],
}

interface Outcome {
  readonly passed: boolean
  readonly output: string
}

const run = ([command = '', ...args]: readonly string[]): Promise<Outcome> =>
  new Promise(resolve => {
    // The tools of this checkout come first, including the Node that npm installed.
    const path = [join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter)
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text))
    child.on('error', error => resolve({ passed: false, output: `${command} could not be started: ${error.message}` }))
    child.on('close', code => resolve({ passed: code === 0, output }))
  })

const runCheck = async (name: string): Promise<boolean> => {
  const startedMs = performance.now()
  const { passed, output } = await run(checks[name] ?? [])
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(16)} ${seconds.padStart(5)} s`)
  if (!passed) console.log(`\n${output.trimEnd()}\n`)
  return passed
}

const runAll = async (names: readonly string[]): Promise<boolean> => {
  const waiting = [...names]
  let allPassed = true
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
      if (!(await runCheck(name))) allPassed = false
  }
  await Promise.all(Array.from({ length: atOnceMax }, worker))
  return allPassed
}

const asked = process.argv.slice(2)
const unknown = asked.filter(name => !Object.hasOwn(checks, name))
if (unknown.length > 0)
  console.log(`There is no check "${unknown.join('", "')}"; there are: ${Object.keys(checks).join(', ')}.`)
const passed = unknown.length === 0 && (await runAll(asked.length > 0 ? asked : Object.keys(checks)))
process.exitCode = passed ? 0 : 1
