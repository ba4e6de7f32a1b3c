// The resources that a start has opened: closed newest first, at the stop or when a later step of the start fails.
import { type FaultLog, logFault } from '../background.ts'
import type { Clock } from '../clock.ts'
import { CodedError } from '../errors.ts'
import { startLimits } from '../limits.ts'
import { Deadline } from './deadline.ts'

type Close = () => void | Promise<void>

export class CloseStack {
  readonly #closes: Close[] = []
  #closed: Promise<void> | undefined

  /** Called in one expression with the opening, so that nothing can fail in between. Returns the opened resource. */
  add<T>(what: T, close: (what: T) => void | Promise<void>): T {
    this.#closes.push(() => close(what))
    return what
  }

  /** Closes everything, also after a failure, and then rejects with the first failure. A second call waits for the first. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll()
    return this.#closed
  }

  async #closeAll(): Promise<void> {
    const faults: unknown[] = []
    for (const close of this.#closes.toReversed()) {
      try {
        await close()
      } catch (error) {
        faults.push(error)
      }
    }
    if (faults.length > 0) throw faults[0]
  }
}

type Surroundings = { clock: Clock; log: FaultLog }

/** Starts as a whole or not at all: when `start` throws, everything that it opened is closed before the caller gets the error. */
export async function startWhole<T>(around: Surroundings, start: (opened: CloseStack) => Promise<T>): Promise<T> {
  const opened = new CloseStack()
  try {
    return await start(opened)
  } catch (error) {
    await closeSoon(opened, around)
    throw error
  }
}

/** Bounded, and never rejects: the caller must get the reason of the failed start, whatever the closing does. */
async function closeSoon(opened: CloseStack, { clock, log }: Surroundings): Promise<void> {
  const what = 'closing after a failed start failed'
  const late = () => new CodedError('internal', {}, { message: 'Closing took too long.' })
  try {
    await new Deadline(clock, { timeoutMs: startLimits.closeWithinMs }, late).awaiting(() => opened.close())
  } catch (fault) {
    logFault(fault, { what, log })
  }
}
