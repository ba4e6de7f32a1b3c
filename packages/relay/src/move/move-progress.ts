// Shows how many rows of a relay have been moved.
import type { Clock } from '@postern/protocol'
import { ProgressLine, type ProgressOutput } from '@postern/protocol/node'

export class MoveProgress {
  readonly #line: ProgressLine
  readonly #all: number
  #done = 0

  constructor(all: number, { output, clock }: { output: ProgressOutput; clock: Clock }) {
    this.#all = all
    this.#line = new ProgressLine(output, clock)
  }

  get rows(): number {
    return this.#done
  }

  add(rows: number, table: string): void {
    this.#done += rows
    this.#line.now(() => `${this.#done} of ${this.#all} rows; just now ${table}`)
  }

  end(): void {
    this.#line.end()
  }
}
