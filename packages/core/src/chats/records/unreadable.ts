// The log line of a message that could not be read: one phrase, and all fields that explain it. Never a key or content.
import type { AccountId, ChatId, GroupId, Log, MessageId } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'

export type Unreadable = {
  /** A code of the MLS layer, or one of those below. */
  code: string
  /** A fixed sentence from our own code. */
  reason: string
  chat: ChatId
  group?: GroupId
  /** Derived from the ciphertext: the sender knows the message by the same id. */
  message?: MessageId
  sender: AccountId
  kind?: MailboxEntry['kind']
  /** The epoch of the message, and the epoch of this account. */
  epoch?: number | undefined
  ownEpoch?: number
}

/** Every `undecryptable` notice is logged with this phrase, which the documents name. */
export function logUnreadable(log: Log, unreadable: Unreadable): void {
  log.warn(unreadable, 'message could not be read')
}

export const keysLost = { code: 'keys-lost', reason: 'The account was restored without the keys of this group.' }
export const groupUnknown = { code: 'group-unknown', reason: 'This account could not join the group of the message.' }
export const contentMalformed = {
  code: 'content-malformed',
  reason: 'The message decrypts, and is no content of ours.',
}
