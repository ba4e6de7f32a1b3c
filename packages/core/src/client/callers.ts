// What callers' requests have in common: each has its time, and under one key each is carried out once.
import { type Clock, Deadline, KeyedQueue, type TimeoutOption } from '@postern/protocol'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'

/** With a key, the same request is carried out once. */
export type ClientCallOptions = TimeoutOption & { idempotency?: Idempotency }

export class Callers {
  readonly #clock: Clock
  readonly #keys = new KeyedQueue<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  deadline(within: TimeoutOption): Deadline {
    return new Deadline(this.#clock, within)
  }

  /** Requests under one key wait for each other: the second finds what became of the first. */
  async once<T>(
    { idempotency }: ClientCallOptions,
    work: (given: { idempotency?: Idempotency }) => Promise<T>,
  ): Promise<T> {
    return idempotency ? await this.#keys.run(idempotency.key, () => work({ idempotency })) : await work({})
  }
}
