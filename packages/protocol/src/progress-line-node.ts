// Shows a person how far long work is: one line that is updated on a terminal, and a plain line at intervals elsewhere.
import type { Clock } from './clock.ts'
import { progressLimits } from './limits.ts'

/** Standard error, as a rule: standard output may carry data. */
export type ProgressOutput = { write(text: string): unknown; isTTY?: boolean; columns?: number }

const CLEAR_LINE = '\r\u001b[K'

export class ProgressLine {
  readonly #output: ProgressOutput
  readonly #clock: Clock
  #saidMs: number
  #hasSaid = false
  /** The line is on the terminal, and what is printed next would follow it. */
  #isOpen = false

  constructor(output: ProgressOutput, clock: Clock) {
    this.#output = output
    this.#clock = clock
    this.#saidMs = clock.monotonicMs()
  }

  /** Call it as often as there is news: short work shows nothing, and long work not too much. */
  now(text: () => string): void {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#saidMs < this.#pauseMs()) return
    this.#show(text(), nowMs)
  }

  /** Before work that reports nothing while it runs: shown if it is large, or if the work before it took long. */
  before(text: string, bytes: number): void {
    if (bytes >= progressLimits.silentBytes) this.#show(text, this.#clock.monotonicMs())
    else this.now(() => text)
  }

  /** Clears the line, so that other text can follow. */
  end(): void {
    if (this.#isOpen) this.#output.write(CLEAR_LINE)
    this.#isOpen = false
  }

  #pauseMs(): number {
    const { firstMs, everyMs, terminalMs } = progressLimits
    if (!this.#hasSaid) return firstMs
    return this.#output.isTTY ? terminalMs : everyMs
  }

  #show(text: string, nowMs: number): void {
    this.#saidMs = nowMs
    this.#hasSaid = true
    if (!this.#output.isTTY) return void this.#output.write(`${text}\n`)
    // A line that wraps cannot be cleared. A terminal that does not know its width reports 0.
    const { columns = 0 } = this.#output
    this.#output.write(CLEAR_LINE + text.slice(0, (columns > 0 ? columns : progressLimits.columns) - 1))
    this.#isOpen = true
  }
}
