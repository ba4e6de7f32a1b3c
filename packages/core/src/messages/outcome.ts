// What became of a content that was applied to the records: it changed them, or it was passed over for a reason.
import type { AboutMessage } from './held-events.ts'
import type { MessageRow } from './messages.ts'

/** Said in the log, so that whoever misses an event finds why there is none. Fixed phrases: never a word of the content. */
export type Reason =
  | 'answered before'
  | 'claimed a moment ago'
  | 'closed before'
  | 'edit too late'
  | 'later words stand'
  | 'no button of ours'
  | 'no mark of that epoch'
  | 'no one emoji'
  | 'no such chat'
  | 'no such member'
  | 'no such message'
  | 'no such poll'
  | 'no such press'
  | 'no vote in this poll'
  | 'not a group'
  | 'not a private chat'
  | 'not said this way'
  | "not the bot's button"
  | "not the sender's message"
  | 'nothing to edit'
  | 'received before'
  | 'sent before'
  | 'the chat is not active'
  | 'the chat was left'
  | 'the group was declined'
  | 'the person is blocked'
  | 'vote after the end'

export type Outcome =
  | {
      kind: 'applied'
      /** The row of a message that is new. */
      message?: MessageRow
      /** What people are told of it, unless it is one's own doing. */
      about?: AboutMessage
    }
  | { kind: 'ignored'; reason: Reason }

export const applied: Outcome = { kind: 'applied' }

export const ignored = (reason: Reason): Outcome => ({ kind: 'ignored', reason })
