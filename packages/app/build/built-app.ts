// The built app: built when it is missing or its sources have changed, and complete whenever it exists.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTurn, isRunning } from './build-turn.ts'
import { fingerprintOf } from './fingerprint.ts'

export type BuildOptions = {
  /** The app's package, with `index.html` and its sources, unless the distribution leaves them out. */
  directory?: string
  /** Ends the build. */
  signal?: AbortSignal
  /** Called when a build starts, which takes seconds; the returned function is called at its end. */
  onBuild?: () => () => void
}

const APP = join(import.meta.dirname, '..')
const BUILD = join(import.meta.dirname, 'run-build.ts')
/** Hidden, and so not served: the fingerprint of the app's sources. */
const BUILT_FROM = '.built-from'

const distIn = (directory: string): string => join(directory, 'dist')

/** The existing folder to serve; undefined when nothing was built. */
export function foundApp(directory = APP): string | undefined {
  const dist = distIn(directory)
  return existsSync(join(dist, 'index.html')) ? dist : undefined
}

/** The folder to serve. Several processes may ask concurrently: one builds, the others wait. */
export async function builtApp({ directory = APP, signal, onBuild }: BuildOptions = {}): Promise<string> {
  const dist = distIn(directory)
  const sources = fingerprintOf(directory)
  // Shipped without its sources, there is nothing to compare with.
  if (sources === undefined || isBuiltFrom(dist, sources)) return foundApp(directory) ?? noSources(directory)
  const over = onBuild?.()
  try {
    await using _turn = await buildTurn(join(directory, 'dist.lock'), signal)
    if (!isBuiltFrom(dist, sources)) await build(directory, { sources, signal })
    return dist
  } finally {
    over?.()
  }
}

function noSources(directory: string): never {
  throw new Error(`${directory} holds neither the built app nor its sources`)
}

const isBuiltFrom = (dist: string, sources: string): boolean =>
  existsSync(join(dist, BUILT_FROM)) && readFileSync(join(dist, BUILT_FROM), 'utf8') === sources

type Build = { sources: string; signal: AbortSignal | undefined }

/** Under another name first: half an app must never be found, whenever this process is killed. */
async function build(directory: string, { sources, signal }: Build): Promise<void> {
  const made = join(directory, `dist-${process.pid}`)
  try {
    await runBuild(directory, { made, signal })
    writeFileSync(join(made, BUILT_FROM), sources)
    rmSync(`${made}-old`, { recursive: true, force: true })
    if (existsSync(distIn(directory))) renameSync(distIn(directory), `${made}-old`)
    renameSync(made, distIn(directory))
  } finally {
    for (const rest of [made, `${made}-old`]) rmSync(rest, { recursive: true, force: true })
    // At the end: the bundler of a killed build may have written for a moment after this build began.
    removeLeftovers(directory)
  }
}

/** In a separate process: the bundler takes some 200 MB, which a demo would hold for as long as it runs. */
async function runBuild(directory: string, { made, signal }: { made: string; signal?: AbortSignal | undefined }) {
  signal?.throwIfAborted()
  const child = spawn(process.execPath, [BUILD, directory, made], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const end = () => void child.kill()
  signal?.addEventListener('abort', end)
  // Also after an abort: files that it still writes must not outlive the cleanup.
  const [code] = (await once(child, 'close')) as [number | null]
  signal?.removeEventListener('abort', end)
  if (code !== 0) throw new Error(`the app could not be built: ${said.trim() || 'the build was ended'}`)
}

/** Leftovers of killed builds. */
function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    const [, pid] = /^dist-(\d+)(?:-old)?$/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(directory, name), { recursive: true, force: true })
  }
}
