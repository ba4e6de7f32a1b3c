// The outcome of applying content to the records: it changed them, or was ignored for a reason.
import type { AboutMessage } from './held-events.ts'
import type { MessageRow } from './messages.ts'

/** Logged, to explain a missing event. Fixed phrases: never text of the content. */
export type Reason =
  | 'a member again'
  | 'a member already'
  | 'answered before'
  | 'claimed a moment ago'
  | 'closed before'
  | 'edit too late'
  | 'later words stand'
  | 'no button of ours'
  | 'no mark of that epoch'
  | 'no one emoji'
  | 'no proof for this group'
  | 'no such chat'
  | 'no such link'
  | 'no such member'
  | 'no such message'
  | 'no such poll'
  | 'no such press'
  | 'no such request'
  | 'no vote in this poll'
  | 'not a group'
  | 'not a private chat'
  | 'not an admin'
  | 'not said this way'
  | "not the bot's button"
  | "not the sender's message"
  | 'nothing to edit'
  | 'received before'
  | 'sent before'
  | 'the chat is not active'
  | 'the chat was deleted'
  | 'the chat was left'
  | 'the group was declined'
  | 'the person is blocked'
  | 'too many requests'
  | 'vote after the end'

export type Outcome =
  | {
      kind: 'applied'
      /** The row of a new message. */
      message?: MessageRow
      /** The event about it, unless this account caused it. */
      about?: AboutMessage
    }
  | { kind: 'ignored'; reason: Reason }

export const applied: Outcome = { kind: 'applied' }

export const ignored = (reason: Reason): Outcome => ({ kind: 'ignored', reason })
