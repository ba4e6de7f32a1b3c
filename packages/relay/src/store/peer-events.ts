// Events from other relays on the same data.
import { type AccountId, Deferred, type GroupId } from '@postern/protocol'
import type { Fence } from './fence.ts'

export type PeerEvent =
  | { kind: 'device-claimed'; fence: Fence }
  /** A certificate with a higher serial was seen: lower ones are revoked. */
  | { kind: 'serial-raised'; account: AccountId; serial: number }
  | { kind: 'banned'; account: AccountId }
  | { kind: 'unbanned'; account: AccountId }
  /** It is of use for seconds: a missed one is not read again. */
  | { kind: 'ephemeral'; group: GroupId; sender: AccountId; payload: Uint8Array }

/** `hear` never throws. `readAgain` reads everything of use that `hear` would have reported. */
export type Listener = { hear: (news: PeerEvent) => void; readAgain: () => Promise<void> }

export class PeerEvents {
  readonly #listener = new Deferred<Listener>()
  #hear: Listener['hear'] = () => {}

  listen(listener: Listener): void {
    this.#hear = listener.hear
    this.#listener.resolve(listener)
  }

  tell(news: PeerEvent): void {
    this.#hear(news)
  }

  /**
   * Events may have been missed, so state in memory may be stale. Settles when it was read again. Waits for the
   * listener, because events during a relay's start would be lost.
   */
  async missed(): Promise<void> {
    const { readAgain } = await this.#listener.promise
    await readAgain()
  }
}
