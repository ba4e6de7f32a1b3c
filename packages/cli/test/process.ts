// The `postern` command as a separate process, as a shell runs it.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const LAUNCHER = join(import.meta.dirname, '../bin/postern.mjs')

type Environment = Record<string, string | undefined>

/** `wrapper`: a command that runs it, for example on another disk. `launcher`: that of a bundle. */
type Started = { wrapper?: readonly string[]; launcher?: string }

export class Postern implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams
  readonly exited: Promise<number | null>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], env: Environment = {}, { wrapper = [], launcher = LAUNCHER }: Started = {}) {
    const [command, ...words] = [...wrapper, process.execPath, launcher, ...args] as [string, ...string[]]
    this.#child = spawn(command, words, { env: { PATH: process.env['PATH'], ...env } })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null)
    // A failed test must not leave it to the next one, with its ports and files.
    onTestFinished(() => this[Symbol.asyncDispose]())
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  get lines(): AsyncIterableIterator<string> {
    return createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
  }

  write(text: string): void {
    this.#child.stdin.write(text)
  }

  endInput(): void {
    this.#child.stdin.end()
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Waits for a text on standard output; fails when the process ends without it. */
  async says(words: RegExp | string): Promise<void> {
    const isSaid = () => (typeof words === 'string' ? this.stdout.includes(words) : words.test(this.stdout))
    while (!isSaid()) {
      const end = await Promise.race([once(this.#child.stdout, 'data').then(() => false), this.exited.then(() => true)])
      if (end && !isSaid()) throw new Error(`it ended without ${words}: ${this.stdout}${this.stderr}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exited
  }
}

/** Runs a process that ends without a signal. */
export async function run(args: readonly string[], env: Environment = {}, started: Started = {}) {
  await using postern = new Postern(args, env, started)
  postern.endInput()
  return { code: await postern.exited, stdout: postern.stdout, stderr: postern.stderr }
}
