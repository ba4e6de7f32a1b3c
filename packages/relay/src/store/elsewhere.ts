// What happens at other relays on the same data, for those here whom it concerns.
import type { AccountId } from '@postern/protocol'
import type { Fence } from './fence.ts'

export type News =
  | { kind: 'device-claimed'; fence: Fence }
  /** By a certificate with a higher serial: what is below it is revoked. */
  | { kind: 'serial-raised'; account: AccountId; serial: number }
  | { kind: 'banned'; account: AccountId }
  | { kind: 'unbanned'; account: AccountId }
  /** Nothing was heard for a while: what is kept in memory of others may be old. */
  | { kind: 'missed' }

export class Elsewhere {
  #hear: (news: News) => void = () => {}

  /** From now on it is told of news. `hear` throws nothing. */
  listen(hear: (news: News) => void): void {
    this.#hear = hear
  }

  tell(news: News): void {
    this.#hear(news)
  }
}
