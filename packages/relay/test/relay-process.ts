// A relay in a process of its own, to be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '@postern/testkit/free-port'
import { databaseOptions } from '@postern/testkit/test-databases'

const MAIN = new URL('./run-relay.ts', import.meta.url).pathname

export class RelayProcess {
  readonly #directory: string
  readonly #database: string | undefined
  #port: number | undefined
  #child: ChildProcess | undefined

  /** On a database that it shares with others, if one is named. */
  constructor(directory: string, database?: string) {
    this.#directory = directory
    this.#database = database
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** On the same port every time, as a service would be. */
  async start(): Promise<void> {
    this.#port ??= await freePort()
    const listen = `127.0.0.1:${this.#port}`
    const shared = this.#database
    const database = shared === undefined ? await databaseOptions(this.#directory) : ['--database', shared]
    const args = [MAIN, '--listen', listen, '--data', this.#directory, '--new-people-per-day', '1000', ...database]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child = child
    // Its first words are that it listens.
    await once(child.stdout, 'data')
  }

  /** Stands still, with all its connections open, until it is let go. */
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
