// People who connect: those who send are always there, and those who only receive come for a storm and at the end.
import { setTimeout as pause } from 'node:timers/promises'
import type { AccountId } from '@postern/protocol'
import type { Hopper } from './hopper.ts'
import { inTurns } from './in-turns.ts'
import { relayTraffic } from './pace.ts'

type Members = { senders: readonly Hopper[]; receivers: readonly Hopper[]; backWithinMs: number }

export class Crowd {
  readonly #members: Members
  #staying: Promise<unknown> | undefined

  constructor(members: Members) {
    this.#members = members
  }

  get everybody(): readonly Hopper[] {
    return [...this.#members.senders, ...this.#members.receivers]
  }

  /** Somebody who is always there. */
  get sender(): Hopper {
    return this.#members.senders[0] as Hopper
  }

  /** All receivers connect at the same moment. Returns the people who did not get in in time. */
  async arrive(): Promise<readonly AccountId[]> {
    const before = loginsOf(this.#members.receivers)
    this.#staying = Promise.all(this.#members.receivers.map(receiver => receiver.run()))
    return await this.#missingOf(this.#members.receivers, before)
  }

  /** All connections are cut at the same moment. Returns the people who did not come back in time. */
  async returnTogether(): Promise<readonly AccountId[]> {
    const before = loginsOf(this.everybody)
    for (const hopper of this.everybody) hopper.cut()
    return await this.#missingOf(this.everybody, before)
  }

  /** Waits until everybody who is there has everything that is there for them. */
  async hearAll(): Promise<void> {
    await inTurns(this.everybody, hopper => hopper.hearAll())
  }

  /** Receivers leave, and may arrive again. */
  async leave(): Promise<void> {
    for (const receiver of this.#members.receivers) receiver.end()
    await this.#staying
    this.#staying = undefined
  }

  async #missingOf(hoppers: readonly Hopper[], before: readonly number[]): Promise<readonly AccountId[]> {
    const isMissing = ({ logins }: Hopper, at: number): boolean => logins <= (before[at] ?? 0)
    for (let leftMs = this.#members.backWithinMs; leftMs > 0; leftMs -= relayTraffic.tryAgainMs) {
      if (!hoppers.some(isMissing)) return []
      await pause(relayTraffic.tryAgainMs)
    }
    return hoppers.filter(isMissing).map(({ id }) => id)
  }
}

const loginsOf = (hoppers: readonly Hopper[]): readonly number[] => hoppers.map(({ logins }) => logins)
