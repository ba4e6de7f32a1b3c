// A relay in a separate process, to be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '@postern/testkit/free-port'
import { databaseOptions } from '@postern/testkit/test-databases'

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname

/** In addition to the common arguments. `database`: one that it shares with others. */
type Started = { database?: string | undefined; args?: readonly string[]; env?: Readonly<Record<string, string>> }

export class RelayProcess {
  readonly #directory: string
  readonly #started: Started
  #port: number | undefined
  #child: ChildProcess | undefined

  constructor(directory: string, started: Started = {}) {
    this.#directory = directory
    this.#started = started
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** On the same port every time, like a service. */
  async start(): Promise<void> {
    this.#port ??= await freePort()
    const listen = `127.0.0.1:${this.#port}`
    const { args = [], env, database } = this.#started
    const shared = database === undefined ? await databaseOptions(this.#directory) : ['--database', database]
    const always = [MAIN, '--listen', listen, '--data', this.#directory, '--new-people-per-day', '1000', ...shared]
    const child = spawn(process.execPath, [...always, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#child = child
    // Its first line says that it listens.
    await once(child.stdout, 'data')
  }

  /** Stalls, with all its connections open, until it is released. */
  hold(): void {
    this.#child?.kill('SIGSTOP')
  }

  letGo(): void {
    this.#child?.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    if (!this.#child) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
    this.#child = undefined
  }
}
