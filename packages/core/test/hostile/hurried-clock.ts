// A clock on which a second takes a tenth of one:
// for work that waits its turn, and whose requests must still be answered.
import { ManualClock } from '@postern/testkit'

const STEP_MS = 20
const TIMES = 10

export class HurriedClock extends ManualClock {
  readonly #ticking: NodeJS.Timeout

  constructor() {
    super(Date.now())
    this.#ticking = setInterval(() => this.advance(STEP_MS * TIMES), STEP_MS)
  }

  stop(): void {
    clearInterval(this.#ticking)
  }
}
