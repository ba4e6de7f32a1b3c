// Maintains our key packages at the relay: refills them when few are left, and replaces old ones, used or not.
import type { GeneratedKeyPackage } from '@postern/mls'
import { clientLimits } from '@postern/protocol'
import type { RelayLink } from '../relay-link/relay-link.ts'
import {
  eraseOldKeys,
  type GeneratedKeyPackages,
  type KeyPackageContext,
  makeKeyPackage,
  notePublished,
  storeMade,
} from './key-packages.ts'

type Context = KeyPackageContext & { link: RelayLink }
type Live = { count: number; published: number; oldestMs: number | null; newestMs: number | null }
type Plan = { count: number; replace: boolean }

export class KeyPackageSupply {
  readonly #context: Context
  /** Undefined before the relay has reported it. */
  #atRelay: number | undefined
  #mustLook = false

  constructor(context: Context) {
    this.#context = context
  }

  /** The relay reports the count at a login. */
  noteAtRelay(count: number): void {
    this.#atRelay = count
  }

  /**
   * As far as known here; undefined before the relay has reported it.
   * When none is left, all who add this account share the last resort.
   */
  left(): number | undefined {
    return this.#atRelay === undefined ? undefined : Math.min(this.#atRelay, this.#live(0).count)
  }

  /** The relay reports the count on its own only at a login: ask it next time. */
  look(): void {
    this.#mustLook = true
  }

  /** A new account can be added to chats from the beginning; the rest of its key packages follow. */
  async publishFirst(): Promise<void> {
    if (this.#live(1).published > 0) return
    await this.#publish({ count: clientLimits.keyPackagesFirst, replace: true })
    this.#atRelay = clientLimits.keyPackagesFirst
  }

  /** The relay may hand out used key packages again: replaces all that it has. */
  async replaceAll(): Promise<void> {
    const { keyPackages } = await this.#publish({ count: clientLimits.keyPackagesTarget, replace: true })
    this.#atRelay = keyPackages
  }

  async tend(): Promise<void> {
    if (this.#mustLook) await this.#lookNow()
    const plan = this.#plan()
    if (!plan) return
    const { keyPackages } = await this.#publish(plan)
    // The relay's count is not trusted: a relay that always claims to have none would receive more with every message.
    this.#atRelay = Math.max(keyPackages, clientLimits.keyPackagesLow)
  }

  async #lookNow(): Promise<void> {
    const { store, link, clock } = this.#context
    const { keyPackages } = await link.call('publishKeyPackages', {
      oneTime: [],
      lastResort: undefined,
      replace: false,
    })
    this.#atRelay = keyPackages
    this.#mustLook = false
    const isErased = await store.write(database => eraseOldKeys(database, clock.nowMs()))
    if (isErased) store.eraseTraces()
  }

  #plan(): Plan | undefined {
    const oneTime = this.#live(0)
    const lastResort = this.#live(1)
    const target = clientLimits.keyPackagesTarget
    if (lastResort.published === 0 || this.#isStale(oneTime, clientLimits.keyPackageReplacedAfterMs))
      return { count: target, replace: true }
    // Used key packages are known here; only the relay knows those that were taken and not used.
    const atRelay = Math.min(this.#atRelay ?? 0, oneTime.count)
    if (atRelay < clientLimits.keyPackagesLow) return { count: target - atRelay, replace: false }
    if (this.#isStale(lastResort, clientLimits.lastResortReplacedAfterMs)) return { count: 0, replace: false }
    return undefined
  }

  #isStale({ oldestMs, newestMs }: Live, afterMs: number): boolean {
    const nowMs = this.#context.clock.nowMs()
    return (oldestMs ?? nowMs) <= nowMs - afterMs || (newestMs ?? nowMs) > nowMs + clientLimits.keyPackageAheadMsMax
  }

  #live(lastResort: 0 | 1): Live {
    const row = this.#context.store.get<Live>(
      `SELECT count(*) AS count, coalesce(sum(published), 0) AS published, min(made_ms) AS oldestMs, max(made_ms) AS newestMs
       FROM key_package WHERE retired_ms IS NULL AND last_resort = ?`,
      lastResort,
    )
    return row ?? { count: 0, published: 0, oldestMs: null, newestMs: null }
  }

  async #publish({ count, replace }: Plan): Promise<{ keyPackages: number }> {
    const { store, link, clock } = this.#context
    const oneTime: GeneratedKeyPackage[] = []
    while (oneTime.length < count) oneTime.push(await makeKeyPackage(this.#context))
    const made: GeneratedKeyPackages = { oneTime, lastResort: await makeKeyPackage(this.#context) }
    await store.write(database => storeMade(database, made, clock.nowMs()))
    const answer = await link.call('publishKeyPackages', {
      oneTime: oneTime.map(({ publicBytes }) => publicBytes),
      lastResort: made.lastResort.publicBytes,
      replace,
    })
    const isErased = await store.write(database => {
      notePublished(database, made, { replace, nowMs: clock.nowMs() })
      return eraseOldKeys(database, clock.nowMs())
    })
    if (isErased) store.eraseTraces()
    return answer
  }
}
