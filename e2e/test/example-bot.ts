// A bot of examples/ as a separate process, started as its README says, to be killed at any moment.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { extname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { onTestFailed, onTestFinished } from 'vitest'

export const EXAMPLES = join(import.meta.dirname, '../../examples')

/** By the end of the name: its interpreter, and the other programs that it calls. */
const languages: Record<string, { command: string; calls: string[] }> = {
  '.ts': { command: process.execPath, calls: [] },
  '.py': { command: 'python3', calls: [] },
  '.sh': { command: 'sh', calls: ['curl', 'jq'] },
}

const languageOf = (example: string) => languages[extname(example)] ?? { command: example, calls: [] }

/** The programs that it needs and that are not installed here. */
export function missingFor(example: string): string[] {
  const { command, calls } = languageOf(example)
  const needed = command === 'sh' ? calls : [command, ...calls]
  return needed.filter(program => spawnSync(program, ['--version']).status !== 0)
}

type Started = { env: Record<string, string>; words?: readonly string[] }

class ExampleBot {
  readonly #child: ChildProcessByStdio<null, null, Readable>
  readonly exited: Promise<number | null>
  stderr = ''

  /** `example`: its path from examples/, or the whole path of a copy. */
  constructor(example: string, { env, words = [] }: Started) {
    const { PATH = '', HOME = '' } = process.env
    this.#child = spawn(languageOf(example).command, [resolve(EXAMPLES, example), ...words], {
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      // It and all processes of its shell are one group, and end together.
      detached: true,
    })
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null)
    onTestFailed(() => console.error(`${example} said: ${this.stderr}`))
    onTestFinished(() => this.kill())
  }

  /** Until these words are on standard error. */
  async complains(words: string): Promise<void> {
    while (!this.stderr.includes(words)) await once(this.#child.stderr, 'data')
  }

  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL')
    await this.exited
  }
}

export const startExample = (example: string, started: Started): ExampleBot => new ExampleBot(example, started)
