// Counts pushes by the service that was asked and by its answer.
import type { Metric } from '@postern/protocol/metrics'

export class PushCounter implements Metric {
  readonly kind = 'counter'
  readonly shape = {
    name: 'postern_relay_pushes_total',
    help: 'Pushes, by push service and by its status, or by the code of the error when there was no answer.',
  }
  readonly #counts = new Map<string, { service: string; status: string; count: number }>()

  add(service: string, status: string): void {
    const key = `${service} ${status}`
    const counted = this.#counts.get(key) ?? { service, status, count: 0 }
    counted.count += 1
    this.#counts.set(key, counted)
  }

  samples() {
    return [...this.#counts.values()].map(({ count, ...labels }) => ({ suffix: '', labels, value: count }))
  }
}
