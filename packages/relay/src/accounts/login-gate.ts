// Limits the logins in flight.
// When all clients reconnect at the same time, each client beyond the limit gets an appointment.
import { type Clock, CodedError, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../limits/relay-limits.ts'

type Parts = { readonly clock: Clock; readonly limits: RelayLimits }

export class LoginGate {
  readonly #parts: Parts
  #inFlight = 0
  /** The time between two finished logins under load. */
  #everyMs: number = relayFixedLimits.loginEveryMs
  /**
   * Set while the gate is full: how fast logins are served.
   * With few in flight it would measure how fast clients arrive.
   */
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
   * After half of the logins in flight and all earlier appointments, so clients return as fast as they can be served,
   * without bursts or gaps. Beyond the latest allowed time, appointments start again from the front, in between the
   * others.
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
