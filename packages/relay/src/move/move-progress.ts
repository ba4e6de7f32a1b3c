// What somebody who waits for a move is told: how many rows of how many, now and then.
import { type Clock, moveLimits } from '@postern/protocol'

export type PrintLine = (line: string) => void

export class MoveProgress {
  readonly #say: PrintLine
  readonly #clock: Clock
  readonly #all: number
  #done = 0
  #saidMs: number

  constructor(all: number, { say, clock }: { say: PrintLine; clock: Clock }) {
    this.#all = all
    this.#say = say
    this.#clock = clock
    this.#saidMs = clock.nowMs()
  }

  get rows(): number {
    return this.#done
  }

  add(rows: number, table: string): void {
    this.#done += rows
    const nowMs = this.#clock.nowMs()
    if (nowMs - this.#saidMs < moveLimits.progressEveryMs) return
    this.#saidMs = nowMs
    this.#say(`${this.#done} of ${this.#all} rows; just now ${table}`)
  }
}
