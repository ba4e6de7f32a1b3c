// Deadlines and idempotency keys of callers' requests.
import { type Clock, Deadline, KeyedQueue, type TimeoutOption } from '@postern/protocol'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'

/** A request with a key is carried out once. */
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

  /** Requests with the same key run one after the other, so the second one finds the outcome of the first. */
  async once<T>(
    { idempotency }: Pick<ClientCallOptions, 'idempotency'>,
    work: (given: { idempotency?: Idempotency }) => Promise<T>,
  ): Promise<T> {
    return idempotency ? await this.#keys.run(idempotency.key, () => work({ idempotency })) : await work({})
  }
}
