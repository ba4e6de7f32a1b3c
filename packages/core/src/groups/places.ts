// How many ciphertexts of a group may wait for the relay's word: should all of them be lost, the others can bridge the gap.
import { type Clock, CodedError, clientLimits, type GroupId } from '@postern/protocol'

type Group = { taken: number; waiting: Set<{ admit: () => void; refuse: (error: CodedError) => void }> }

export class Places {
  readonly #clock: Clock
  readonly #groups = new Map<GroupId, Group>()
  #isStopped = false

  constructor(clock: Clock, left: { group: GroupId; count: number }[]) {
    this.#clock = clock
    for (const { group, count } of left) this.#groups.set(group, { taken: count, waiting: new Set() })
  }

  /** In the order of the calls; rejects with `relay-unreachable` when none is free in time. */
  take(group: GroupId, deadlineMs: number): Promise<void> {
    if (this.#isStopped) return Promise.reject(new CodedError('stopping'))
    const places = this.#placesOf(group)
    if (places.taken < clientLimits.unsettledPerGroupMax) {
      places.taken++
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        timer.cancel()
        places.waiting.delete(waiting)
        settle()
      }
      const waiting = { admit: () => finish(resolve), refuse: (error: CodedError) => finish(() => reject(error)) }
      const timer = this.#clock.setTimer(deadlineMs, () => waiting.refuse(new CodedError('relay-unreachable')))
      places.waiting.add(waiting)
    })
  }

  /** How many wait for the relay's word. */
  taken(group: GroupId): number {
    return this.#groups.get(group)?.taken ?? 0
  }

  /** Its ciphertext is settled, or there is none: whoever waits longest has the place. */
  giveBack(group: GroupId): void {
    const places = this.#placesOf(group)
    const [next] = places.waiting
    // One who is admitted takes it over.
    if (next && places.taken <= clientLimits.unsettledPerGroupMax) return next.admit()
    places.taken--
    if (places.taken <= 0) this.#groups.delete(group)
  }

  /** Nobody is admitted any more. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#groups.values())
      for (const one of [...waiting]) one.refuse(new CodedError('stopping'))
  }

  #placesOf(group: GroupId): Group {
    const known = this.#groups.get(group)
    if (known) return known
    const made = { taken: 0, waiting: new Set<never>() }
    this.#groups.set(group, made)
    return made
  }
}
