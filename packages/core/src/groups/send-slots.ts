// Slots for ciphertexts that wait for the relay's answer.
// Each group has a limited number: if all are lost, the others can bridge the gap.
import { type Clock, CodedError, clientLimits, Deferred, type GroupId } from '@postern/protocol'

type Group = { reserved: number; waiting: Set<Deferred> }

export class SendSlots {
  readonly #clock: Clock
  readonly #groups = new Map<GroupId, Group>()
  #isStopped = false

  constructor(clock: Clock, left: { group: GroupId; count: number }[]) {
    this.#clock = clock
    for (const { group, count } of left) this.#groups.set(group, { reserved: count, waiting: new Set() })
  }

  /** In the order of the calls. Rejects with `relay-unreachable` when none is free in time. */
  reserve(group: GroupId, timeoutMs: number): Promise<void> {
    if (this.#isStopped) return Promise.reject(new CodedError('stopping'))
    const slots = this.#slotsOf(group)
    if (slots.reserved < clientLimits.unsettledPerGroupMax) {
      slots.reserved++
      return Promise.resolve()
    }
    const wait = new Deferred()
    wait.after(this.#clock, timeoutMs, () => wait.reject(new CodedError('relay-unreachable')))
    wait.onSettled(() => slots.waiting.delete(wait))
    slots.waiting.add(wait)
    return wait.promise
  }

  /** How many wait for the relay's answer. */
  reserved(group: GroupId): number {
    return this.#groups.get(group)?.reserved ?? 0
  }

  /** Its ciphertext is settled, or there is none: the caller that has waited longest gets the slot. */
  release(group: GroupId): void {
    const slots = this.#slotsOf(group)
    const [next] = slots.waiting
    // The admitted caller has the slot from now on: it stays reserved.
    if (next && slots.reserved <= clientLimits.unsettledPerGroupMax) return next.resolve()
    slots.reserved--
    if (slots.reserved <= 0) this.#groups.delete(group)
  }

  /** Admits no caller any more. */
  stop(): void {
    this.#isStopped = true
    for (const { waiting } of this.#groups.values())
      for (const one of [...waiting]) one.reject(new CodedError('stopping'))
  }

  #slotsOf(group: GroupId): Group {
    const known = this.#groups.get(group)
    if (known) return known
    const made = { reserved: 0, waiting: new Set<never>() }
    this.#groups.set(group, made)
    return made
  }
}
