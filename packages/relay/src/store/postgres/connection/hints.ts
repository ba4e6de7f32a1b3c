// What relays on one database tell each other: whose mailbox has grown, which device has moved, who is shut out.
import { randomBytes } from 'node:crypto'
import type { AccountId } from '@postern/protocol'
import type { PeerEvent } from '../../peer-events.ts'
import type { Queries } from './queries.ts'

export const HINT_CHANNEL = 'postern_relay'

export type Hint = { kind: 'grown'; accounts: number[] } | { kind: 'news'; news: PeerEvent }

export class Hints {
  /** By which this relay knows its own hints. */
  readonly own = randomBytes(6).toString('hex')

  /** With the transaction, if it is committed. */
  async tell(tx: Queries, news: PeerEvent): Promise<void> {
    await tx.rows('SELECT pg_notify($1, $2)', [HINT_CHANNEL, `${news.kind} ${this.own} ${wordsOf(news)}`])
  }

  /** Undefined: it is this relay's own, or none that it knows. */
  read(payload: string): Hint | undefined {
    const [kind = '', by, first = '', second = ''] = payload.split(' ')
    // But for this: whoever showed the certificate may have gone before its relay knew that it counts.
    if (by === this.own && kind !== 'serial-raised') return undefined
    switch (kind) {
      case 'grown':
        return { kind, accounts: first.split(',').map(Number) }
      case 'device-claimed':
        return { kind: 'news', news: { kind, fence: { device: first, generation: Number(second) } } }
      case 'serial-raised':
        return { kind: 'news', news: { kind, account: first as AccountId, serial: Number(second) } }
      case 'banned':
      case 'unbanned':
        return { kind: 'news', news: { kind, account: first as AccountId } }
      default:
        // Of a newer relay: what it means, the database tells as well.
        return undefined
    }
  }
}

function wordsOf(news: PeerEvent): string {
  switch (news.kind) {
    case 'device-claimed':
      return `${news.fence.device} ${news.fence.generation}`
    case 'serial-raised':
      return `${news.account} ${news.serial}`
    case 'banned':
    case 'unbanned':
      return news.account
    default:
      return news satisfies never
  }
}
