// What happens at other relays on the same data, for those here whom it concerns.
import { type AccountId, Deferred } from '@postern/protocol'
import type { Fence } from './fence.ts'

export type PeerEvent =
  | { kind: 'device-claimed'; fence: Fence }
  /** By a certificate with a higher serial: what is below it is revoked. */
  | { kind: 'serial-raised'; account: AccountId; serial: number }
  | { kind: 'banned'; account: AccountId }
  | { kind: 'unbanned'; account: AccountId }

/** `hear` throws nothing. `readAgain` reads all that `hear` would have told. */
export type Listener = { hear: (news: PeerEvent) => void; readAgain: () => Promise<void> }

export class PeerEvents {
  readonly #listener = new Deferred<Listener>()
  #hear: Listener['hear'] = () => {}

  /** From now on it is told of news. */
  listen(listener: Listener): void {
    this.#hear = listener.hear
    this.#listener.resolve(listener)
  }

  tell(news: PeerEvent): void {
    this.#hear(news)
  }

  /**
   * Nothing was heard for a while: what is kept in memory of others may be old. Settles when it was read again, and waits for
   * who listens: what is told while a relay starts would be lost.
   */
  async missed(): Promise<void> {
    const { readAgain } = await this.#listener.promise
    await readAgain()
  }
}
