// A process of the benchmark, seen by the one that started it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answer, Question, Ready, Usage } from './question.ts'

/**
 * With the flags and the code cache of `npm run postern`: a small space for young objects, and cached code after the
 * first start.
 */
export const NODE_FLAGS = ['--max-semi-space-size=4']
const CODE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/postern')

type Waiting = Map<number, PromiseWithResolvers<unknown>>

export class Child<State = unknown> {
  readonly state: State
  readonly #process: ChildProcess
  readonly #waiting: Waiting
  #lastId = 0

  private constructor(child: ChildProcess, { state, waiting }: { state: State; waiting: Waiting }) {
    this.#process = child
    this.#waiting = waiting
    this.state = state
  }

  /** Resolves when the process reports that it is ready. With BENCH_PROFILE set, it leaves a CPU profile there. */
  static async start<State>(file: URL, settings: unknown): Promise<Child<State>> {
    const profiles = process.env['BENCH_PROFILE']
    const name = file.pathname.split('/').at(-1)?.replace('.ts', '')
    const profiling = profiles
      ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-name=${name}-${process.hrtime.bigint()}.cpuprofile`]
      : []
    const child = fork(file, [JSON.stringify(settings)], {
      execArgv: [...NODE_FLAGS, ...profiling],
      env: { ...process.env, NODE_COMPILE_CACHE: CODE_CACHE },
    })
    const waiting: Waiting = new Map()
    const ready = Promise.withResolvers<State>()
    child.on('message', (message: Answer | Ready) => {
      if (message.kind === 'ready') return ready.resolve(message.state as State)
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.kind === 'done') asked?.resolve(message.value)
      else asked?.reject(new Error(message.error))
    })
    child.once('exit', code => {
      const ended = new Error(`${name} ended with ${code}`)
      ready.reject(ended)
      for (const asked of waiting.values()) asked.reject(ended)
      // Others may wait for this process: the run would hang silently.
      if (code !== 0) throw ended
    })
    return new Child(child, { state: await ready.promise, waiting })
  }

  async ask<Value>(what: string, argument?: unknown): Promise<Value> {
    const asked = Promise.withResolvers<unknown>()
    this.#lastId += 1
    this.#waiting.set(this.#lastId, asked)
    this.#process.send({ id: this.#lastId, what, argument } satisfies Question)
    return (await asked.promise) as Value
  }

  usage(): Promise<Usage> {
    return this.ask<Usage>('usage')
  }

  /** The process is stopped meanwhile, as if it were away; its connections stay. */
  async whileHeld(work: () => Promise<void>): Promise<void> {
    this.#process.kill('SIGSTOP')
    try {
      await work()
    } finally {
      this.#process.kill('SIGCONT')
    }
  }

  /** Resolves when the process has ended, also for repeated calls. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return
    const ended = once(this.#process, 'exit')
    if (this.#process.connected) this.#process.disconnect()
    await ended
  }
}
