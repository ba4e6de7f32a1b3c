// Delays between retries, doubled up to a maximum.
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
