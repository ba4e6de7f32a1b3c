// Programs of others for Telegram: packages beside ours and in no package.json, and their processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const FOLDER = new URL('../../../node_modules/.telegram-bots/', import.meta.url)

export const foreignRequire = createRequire(FOLDER)
export const foreignModules: string = fileURLToPath(new URL('node_modules', FOLDER))

/** Undefined if all of these packages are installed, otherwise the sentence that says how they are. */
export function missing(...packages: string[]): string | undefined {
  const isThere = (name: string) =>
    existsSync(new URL(`node_modules/${name.replace(/(?!^)@.*/, '')}/package.json`, FOLDER))
  return packages.every(isThere)
    ? undefined
    : `not run: npm install --prefix node_modules/.telegram-bots --ignore-scripts ${packages.join(' ')}`
}

/** `output`: the end of all that the program has written. */
export type ForeignProcess = { output: () => string; kill: () => Promise<void> }

export function startForeign(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): ForeignProcess {
  // In a group of its own: some of these programs start others, which would survive them.
  const options = { cwd, env: { PATH: process.env['PATH'], HOME: cwd, ...env }, detached: true }
  const child: ChildProcess = spawn(program, args, options)
  let output = ''
  const closed = once(child, 'close')
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000)
    })
  return {
    output: () => output,
    kill: async () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
      await closed
    },
  }
}
