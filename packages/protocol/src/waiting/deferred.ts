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

  /** Once, at whichever end; at once when it is over already. */
  onSettled(undo: () => void): void {
    if (this.#isSettled) return undo()
    this.#undo ??= []
    this.#undo.push(undo)
  }

  /** Calls when so much time has passed and nothing has ended it before. */
  after(clock: Clock, ms: number, call: () => void): void {
    if (this.#isSettled) return
    const timer = clock.setTimer(ms, call)
    this.onSettled(() => timer.cancel())
  }

  /** Calls at the abort, and at once when it is aborted already. */
  onAbort(signal: AbortSignal, call: () => void): void {
    if (this.#isSettled) return
    if (signal.aborted) return call()
    signal.addEventListener('abort', call)
    this.onSettled(() => signal.removeEventListener('abort', call))
  }

  /** Ends as the work does. Work that comes too late is not looked at: its failure ends no process. */
  settleWith(work: Promise<T>): void {
    work.then(
      value => this.resolve(value),
      (error: unknown) => this.reject(error),
    )
  }

  /** Before anybody hears of the end: nothing of the wait is left then. */
  #end(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    for (const undo of this.#undo ?? []) undo()
    this.#undo = undefined
    return true
  }
}
