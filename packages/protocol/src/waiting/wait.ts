// Something that is waited for and can end in several ways: the first ends it, and takes the timers and listeners of the others along.
import type { Clock } from '../clock.ts'

export class Wait<T = void> {
  readonly #settled = Promise.withResolvers<T>()
  #isOver = false
  #undo: (() => void)[] | undefined

  /** Settles with the first end. */
  get over(): Promise<T> {
    return this.#settled.promise
  }

  get isOver(): boolean {
    return this.#isOver
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
  onOver(undo: () => void): void {
    if (this.#isOver) return undo()
    this.#undo ??= []
    this.#undo.push(undo)
  }

  /** Calls when so much time has passed and nothing has ended it before. */
  after(clock: Clock, ms: number, call: () => void): void {
    if (this.#isOver) return
    const timer = clock.setTimer(ms, call)
    this.onOver(() => timer.cancel())
  }

  /** Calls at the abort, and at once when it is aborted already. */
  onAbort(signal: AbortSignal, call: () => void): void {
    if (this.#isOver) return
    if (signal.aborted) return call()
    signal.addEventListener('abort', call)
    this.onOver(() => signal.removeEventListener('abort', call))
  }

  /** Ends as the work does. Work that comes too late is not looked at: its failure ends no process. */
  follow(work: Promise<T>): void {
    work.then(
      value => this.resolve(value),
      (error: unknown) => this.reject(error),
    )
  }

  /** Before anybody hears of the end: nothing of the wait is left then. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    for (const undo of this.#undo ?? []) undo()
    this.#undo = undefined
    return true
  }
}
