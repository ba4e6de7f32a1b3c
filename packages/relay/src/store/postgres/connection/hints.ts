// Notifications between relays on one database: grown mailboxes, moved devices, bans, and what is not stored.
import { randomBytes } from 'node:crypto'
import { type AccountId, fromBase64Url, type GroupId, toBase64Url } from '@postern/protocol'
import type { PeerEvent } from '../../peer-events.ts'
import type { Queries } from './queries.ts'

export const HINT_CHANNEL = 'postern_relay'

export type Hint =
  | { kind: 'grown'; accounts: number[] }
  | { kind: 'news'; news: PeerEvent }
  /** Groups with new entries for attention. */
  | { kind: 'marked'; groups: number[] }
  /** A device with a subscription has closed its connection. */
  | { kind: 'left'; device: string }

export class Hints {
  /** Identifies this relay's own hints. */
  readonly own = randomBytes(6).toString('hex')

  marked(groups: Iterable<number>): string {
    return `marked ${this.own} ${[...groups].join(',')}`
  }

  /** Sent with the transaction, if it is committed. */
  async tell(tx: Queries, news: PeerEvent): Promise<void> {
    await tx.rows('SELECT pg_notify($1, $2)', [HINT_CHANNEL, `${news.kind} ${this.own} ${wordsOf(news)}`])
  }

  /** Undefined for this relay's own hints and for unknown ones. */
  read(payload: string): Hint | undefined {
    const [kind = '', by, first = '', second = '', third = ''] = payload.split(' ')
    // Except this one: the client that showed the certificate may
    // have disconnected before its relay learned that it counts.
    if (by === this.own && kind !== 'serial-raised') return undefined
    switch (kind) {
      case 'grown':
        return { kind, accounts: first.split(',').map(Number) }
      case 'marked':
        return { kind, groups: first.split(',').map(Number) }
      case 'left':
        return { kind, device: first }
      case 'device-claimed':
        return { kind: 'news', news: { kind, fence: { device: first, generation: Number(second) } } }
      case 'serial-raised':
        return { kind: 'news', news: { kind, account: first as AccountId, serial: Number(second) } }
      case 'banned':
      case 'unbanned':
        return { kind: 'news', news: { kind, account: first as AccountId } }
      case 'ephemeral': {
        const sealed = fromBase64Url(third)
        if (!sealed) return undefined
        const news = { kind, group: first as GroupId, sender: second as AccountId, payload: sealed } as const
        return { kind: 'news', news }
      }
      default:
        // From a newer relay: the database contains the same information.
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
    case 'ephemeral':
      return `${news.group} ${news.sender} ${toBase64Url(news.payload)}`
    default:
      return news satisfies never
  }
}
