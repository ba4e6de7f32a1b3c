// A clock on which a second is over in a tenth of one: for what waits its turn, and whose requests must still be answered.
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
