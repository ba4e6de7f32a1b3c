// A wait that can end in several ways: the first one ends it and removes the timers and listeners of the others.
import type { Clock } from '../clock.ts'

export class Deferred<T = void> {
  readonly #settled = Promise.withResolvers<T>()
  #isSettled = false
  #undo: (() => void)[] | undefined

  /** Settles with the first end. */
  get promise(): Promise<T> {
    return this.#settled.promise
  }

  get isSettled(): boolean {
    return this.#isSettled
  }

  resolve(value: T): void {
    if (!this.#end()) return
    this.#settled.resolve(value)
  }

  reject(error: unknown): void {
    if (!this.#end()) return
    this.#settled.reject(error)
  }

  /** Called once, at the first end; immediately if the wait is already over. */
  onSettled(undo: () => void): void {
    if (this.#isSettled) return undo()
    this.#undo ??= []
    this.#undo.push(undo)
  }

  /** Calls after this time unless the wait has ended before. */
  after(clock: Clock, ms: number, call: () => void): void {
    if (this.#isSettled) return
    const timer = clock.setTimer(ms, call)
    this.onSettled(() => timer.cancel())
  }

  /** Calls at the abort, or immediately if already aborted. */
  onAbort(signal: AbortSignal, call: () => void): void {
    if (this.#isSettled) return
    if (signal.aborted) return call()
    signal.addEventListener('abort', call)
    this.onSettled(() => signal.removeEventListener('abort', call))
  }

  /** Settles with the work. Late work is ignored: its failure ends no process. */
  settleWith(work: Promise<T>): void {
    work.then(
      value => this.resolve(value),
      (error: unknown) => this.reject(error),
    )
  }

  /** Runs before anybody is notified of the end: nothing of the wait is left then. */
  #end(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    for (const undo of this.#undo ?? []) undo()
    this.#undo = undefined
    return true
  }
}
