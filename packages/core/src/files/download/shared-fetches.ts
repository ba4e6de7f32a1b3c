// Fetches a file once, however many callers want it at the same time. When no caller waits any more, the fetch ends.
import { CodedError, Deferred, toBase32 } from '@postern/protocol'
import type { FilesContext, StoredFile } from '../files-context.ts'
import { fetchBlob } from './fetch-blob.ts'

/** How long a caller waits for a file. */
export type FetchPatience = { timeoutMs: number; signal?: AbortSignal }

type Fetch = { done: Promise<void>; stop: AbortController; waiting: number; movedMs: number }

export class SharedFetches {
  readonly #parts: FilesContext
  readonly #wanted = new Map<string, Fetch>()
  /** Includes cancelled fetches until they have removed their files. */
  readonly #running = new Set<Fetch>()

  constructor(parts: FilesContext) {
    this.#parts = parts
  }

  /**
   * Resolves when the file is in the vault. Rejects when nothing has arrived for the given time, however long the whole
   * takes, and immediately when the signal aborts.
   */
  async want(file: StoredFile, { timeoutMs, signal }: FetchPatience): Promise<void> {
    signal?.throwIfAborted()
    const name = `${file.blob}.${toBase32(file.digest)}`
    const fetch = this.#wanted.get(name) ?? this.#start(name, file)
    fetch.waiting += 1
    const wait = new Deferred()
    wait.settleWith(fetch.done)
    if (signal) wait.onAbort(signal, () => wait.reject(signal.reason))
    this.#endAfterSilence(wait, fetch, timeoutMs)
    try {
      await wait.promise
    } finally {
      fetch.waiting -= 1
      if (fetch.waiting === 0) this.#letGo(name, fetch)
    }
  }

  async stop(): Promise<void> {
    for (const { stop } of this.#running) stop.abort(new CodedError('stopping'))
    await Promise.allSettled([...this.#running].map(({ done }) => done))
  }

  #start(name: string, file: StoredFile): Fetch {
    const stop = new AbortController()
    const moved = () => {
      fetch.movedMs = this.#parts.clock.monotonicMs()
    }
    const done = Promise.resolve().then(() => fetchBlob(this.#parts, file, { signal: stop.signal, moved }))
    const fetch: Fetch = { done, stop, waiting: 0, movedMs: this.#parts.clock.monotonicMs() }
    this.#wanted.set(name, fetch)
    this.#running.add(fetch)
    const over = () => {
      this.#running.delete(fetch)
      if (this.#wanted.get(name) === fetch) this.#wanted.delete(name)
    }
    fetch.done.then(over, over)
    return fetch
  }

  #endAfterSilence(wait: Deferred, fetch: Fetch, timeoutMs: number): void {
    const { clock } = this.#parts
    const beganMs = clock.monotonicMs()
    const look = () => {
      const leftMs = Math.max(beganMs, fetch.movedMs) + timeoutMs - clock.monotonicMs()
      if (leftMs > 0) wait.after(clock, leftMs, look)
      else wait.reject(new CodedError('relay-unreachable'))
    }
    wait.after(clock, timeoutMs, look)
  }

  #letGo(name: string, fetch: Fetch): void {
    if (this.#wanted.get(name) === fetch) this.#wanted.delete(name)
    fetch.stop.abort(new CodedError('relay-unreachable'))
  }
}
