// How many messages the title and the badge count.
import type { ChatLine } from '../contract/objects.ts'

/** Muted and archived chats count nothing: a person has said so. A request counts as one, however much a stranger writes. */
export function unreadOf(chats: readonly Pick<ChatLine, 'unread' | 'muted' | 'archived' | 'state'>[]): number {
  return chats
    .filter(({ muted, archived }) => !muted && !archived)
    .reduce((sum, { unread, state }) => sum + (state === 'request' ? Math.min(unread, 1) : unread), 0)
}
