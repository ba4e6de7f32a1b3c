// Limits the logins in flight. When everybody comes back at the same time, each client beyond the limit gets an appointment.
import { type Clock, CodedError, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../limits/relay-limits.ts'

type Parts = { readonly clock: Clock; readonly limits: RelayLimits }

export class LoginGate {
  readonly #parts: Parts
  #inFlight = 0
  /** From one finished login to the next while there are many. */
  #everyMs: number = relayFixedLimits.loginEveryMs
  /** Since the gate was full: how fast logins are served. With few in flight it would only show how fast clients come. */
  #measured: { sinceMs: number; served: number } | undefined
  /** The last appointment. */
  #takenMs = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws `unavailable` with the time of an appointment. A login that was admitted calls `leave` once. */
  enter(): void {
    const { clock, limits } = this.#parts
    if (this.#inFlight >= limits.loginsInFlightMax)
      throw new CodedError('unavailable', { retryAtMs: clock.nowMs() + this.#appointmentMs() })
    this.#inFlight += 1
    if (this.#inFlight === limits.loginsInFlightMax) this.#measured ??= { sinceMs: clock.monotonicMs(), served: 0 }
  }

  leave(): void {
    this.#inFlight -= 1
    if (this.#inFlight < this.#parts.limits.loginsInFlightMax / 2) this.#measured = undefined
    if (this.#measured) this.#measured.served += 1
  }

  /**
   * Behind half of those in flight and all earlier appointments: as many come back as can be served, neither in bursts nor
   * with gaps. Past the latest one they begin again from the front, each between two others.
   */
  #appointmentMs(): number {
    const nowMs = this.#parts.clock.monotonicMs()
    this.#measure(nowMs)
    const freeMs = nowMs + (this.#inFlight / 2) * this.#everyMs
    const nextMs = Math.max(this.#takenMs, freeMs) + this.#everyMs
    this.#takenMs = nextMs <= nowMs + relayFixedLimits.appointmentMsMax ? nextMs : freeMs + this.#everyMs
    return Math.ceil(this.#takenMs - nowMs)
  }

  #measure(nowMs: number): void {
    if (!this.#measured || this.#measured.served === 0) return
    const { sinceMs, served } = this.#measured
    if (nowMs - sinceMs < relayFixedLimits.loginsMeasuredMs) return
    this.#everyMs = (nowMs - sinceMs) / served
    this.#measured = { sinceMs: nowMs, served: 0 }
  }
}
