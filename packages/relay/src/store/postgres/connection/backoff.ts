// How long to wait before the next try of what fails again and again.
import { postgresLimits } from '@postern/protocol'

export class Backoff {
  #nextMs: number = postgresLimits.reconnectMs

  reset(): void {
    this.#nextMs = postgresLimits.reconnectMs
  }

  nextMs(): number {
    const afterMs = this.#nextMs
    this.#nextMs = Math.min(afterMs * 2, postgresLimits.reconnectMsMax)
    return afterMs
  }
}
