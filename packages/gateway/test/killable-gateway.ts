// A gateway of a test's own relay as a process that is killed and started again on its data.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { World } from '@postern/testkit'
import { expect } from 'vitest'
import { listeningUrl } from './listening-url.ts'

const TOKEN = 'test-token'

export class KillableGateway {
  readonly #env: Record<string, string>
  #child: ChildProcess | undefined
  url = ''

  constructor({ relayUrl, directory }: Pick<World, 'relayUrl' | 'directory'>, env: Record<string, string>) {
    this.#env = {
      BOT_TOKEN: TOKEN,
      BOT_NAME: 'bot',
      RELAY_URL: relayUrl,
      LISTEN: '127.0.0.1:0',
      DATA_DIR: join(directory, 'killed'),
      ...env,
    }
  }

  async start(): Promise<void> {
    this.#child = fork(new URL('./run-gateway.ts', import.meta.url), {
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
      execArgv: [],
      env: { ...process.env, ...this.#env },
    })
    this.url = await listeningUrl(this.#child)
    const isThere = () =>
      this.ask('GET', '/v1/me').then(
        () => true,
        () => false,
      )
    // A process needs time to start on a busy machine.
    await expect.poll(isThere, { interval: 20 }).toBe(true)
  }

  /** `kill -9`; nothing if it does not run. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  async ask<Answer>(method: string, path: string, json?: object): Promise<Answer> {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' }
    const answer = await fetch(this.url + path, { method, headers, ...(json && { body: JSON.stringify(json) }) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return (await answer.json()) as Answer
  }
}
