// When entries of another relay had been read here, after a wake-up: as a relay serves its followers.
import type { AccountId, GroupId } from '@postern/protocol'
import type { RelayStore } from '@postern/relay/store'
import type { InProcessWake } from '../inside.ts'
import { sharedNowMs } from '../processes/shared-clock.ts'

const BOUNDS = { entriesMax: 200, bytesMax: 1 << 20 }

export class Arrivals {
  readonly #store: RelayStore
  readonly #wake: InProcessWake
  readonly #readMs = new Map<string, PromiseWithResolvers<number>>()

  constructor(store: RelayStore, wake: InProcessWake) {
    this.#store = store
    this.#wake = wake
  }

  async follow(accounts: readonly AccountId[]): Promise<void> {
    for (const account of accounts) await this.#followOne(account)
  }

  of({ group, seq }: { group: GroupId; seq: number }): Promise<number> {
    return this.#arrival(`${group} ${seq}`).promise
  }

  async #followOne(account: AccountId): Promise<void> {
    let cursor = await this.#store.mailboxHead(account)
    let isReading = false
    let isWoken = false
    const read = async () => {
      const { entries, more } = await this.#store.readMailbox(account, cursor, BOUNDS)
      const nowMs = sharedNowMs()
      for (const { group, seq } of entries) this.#arrival(`${group} ${seq}`).resolve(nowMs)
      cursor = entries.at(-1)?.cursor ?? cursor
      if (more) isWoken = true
    }
    const readAll = async () => {
      if (isReading) return
      isReading = true
      while (isWoken) {
        isWoken = false
        await read()
      }
      isReading = false
    }
    this.#wake.subscribe(account, () => {
      isWoken = true
      // Waiters for an arrival would wait forever: the run must end with the reason.
      readAll().catch((error: unknown) =>
        setImmediate(() => {
          throw error
        }),
      )
    })
  }

  /** It may be read before anybody waits for it. */
  #arrival(key: string): PromiseWithResolvers<number> {
    const arrival = this.#readMs.get(key) ?? Promise.withResolvers<number>()
    this.#readMs.set(key, arrival)
    return arrival
  }
}
