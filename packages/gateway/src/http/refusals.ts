// Logs failed requests: expected errors as one line at intervals, a fault of ours with its stack.
import { apiErrorOf } from '@postern/bot-api'
import type { Log } from '@postern/core'
import { type Clock, CodedError, gatewayLimits, isCoded, LogThrottle, lineOf, systemFault } from '@postern/protocol'
import type { GoneReason } from '../caller.ts'

export class Refusals {
  readonly #log: Log
  readonly #throttle: LogThrottle

  constructor({ log, clock }: { log: Log; clock: Clock }) {
    this.#log = log
    this.#throttle = new LogThrottle(clock, gatewayLimits.faultSaidEveryMs)
  }

  note(error: unknown, route: string): void {
    const fault = systemFault(error)
    // Neither a rate limit nor a hang-up is a fault of ours: anybody could fill the disk with such lines.
    if (isCoded(fault, 'rate-limited') || hasHungUp(fault)) return
    if (!(fault instanceof CodedError) || apiErrorOf(fault).code !== 'unavailable')
      return this.#log.error({ err: fault, route }, 'request failed')
    this.#throttle.say(fault.code, unsaid => this.#log.warn({ route, ...lineOf(fault), ...unsaid }, 'request rejected'))
  }
}

/** The abort reason of a caller that does not wait for the answer. */
const hasHungUp = (error: unknown): boolean => error === ('hung up' satisfies GoneReason)
