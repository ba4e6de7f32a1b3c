// Runs a block of a page in a separate shell, with all its processes, which are ended as a whole.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

const SAYS_WITHIN_MS = 60_000

export type Surroundings = { cwd: string; env: Readonly<Record<string, string>> }

export class Shell {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly exitCode: Promise<number | null>
  stdout = ''
  stderr = ''

  constructor(text: string, { cwd, env }: Surroundings) {
    // In its own process group: `npm start` is several processes, and a signal must reach each of them.
    this.#child = spawn('sh', ['-euc', text], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stdout.setEncoding('utf8').on('data', (part: string) => (this.stdout += part))
    this.#child.stderr.setEncoding('utf8').on('data', (part: string) => (this.stderr += part))
    this.exitCode = once(this.#child, 'close').then(([code]) => code as number | null)
  }

  /** For a command that ends without a signal. */
  async end(): Promise<number | null> {
    this.#child.stdin.end()
    return await this.exitCode
  }

  /** Waits for a text on standard output; fails when the process ends without it, or takes too long. */
  async says(isSaid: (stdout: string) => boolean): Promise<void> {
    const signal = AbortSignal.timeout(SAYS_WITHIN_MS)
    const end = Promise.race([this.exitCode, once(signal, 'abort')]).then(() => 'end' as const)
    while (!isSaid(this.stdout)) {
      const more = once(this.#child.stdout, 'data').then(() => 'more' as const)
      const next = await Promise.race([more, end])
      if (next === 'end' && !isSaid(this.stdout)) throw new Error(`it did not say it: ${this.stdout}${this.stderr}`)
    }
  }

  async stop(): Promise<void> {
    this.#signal('SIGTERM')
    const late = setTimeout(() => this.#signal('SIGKILL'), 20_000)
    await this.exitCode
    clearTimeout(late)
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal)
  }
}
