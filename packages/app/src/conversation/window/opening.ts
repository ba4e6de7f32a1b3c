// Where a conversation opens: at the message of a link, at the first unread one, or at the end.
import type { ChatDetail } from '../../contract/objects.ts'
import type { HistoryAnchor } from '../../contract/views.ts'
import type { Jump } from '../talk.ts'
import { END } from './window-state.ts'

export type OpeningPosition = {
  anchor: HistoryAnchor
  goal?: { jump: Jump; block: 'center' | 'start' }
  /** Messages from this time on were unread when the conversation was opened. */
  unreadFromTs?: number
}

export function openingOf(chat: Pick<ChatDetail, 'firstUnread'>, message?: string): OpeningPosition {
  const unread = chat.firstUnread
  const line = unread && { unreadFromTs: unread.ts }
  if (message !== undefined)
    return {
      anchor: { at: 0, message },
      goal: { jump: { to: 'message', id: message }, block: 'center' },
      ...line,
    }
  if (!unread) return { anchor: END }
  return {
    anchor: { at: unread.ts },
    goal: { jump: { to: 'message', ...unread }, block: 'start' },
    ...line,
  }
}
