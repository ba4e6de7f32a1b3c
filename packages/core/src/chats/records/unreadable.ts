// The log line of a message that could not be read: one phrase, and everything that tells why. Never a key or a content.
import type { AccountId, ChatId, GroupId, Log, MessageId } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'

export type Unreadable = {
  /** Of the MLS layer, or one of those below. */
  code: string
  /** A fixed sentence of ours. */
  reason: string
  chat: ChatId
  group?: GroupId
  /** By the ciphertext: its sender knows the message by the same id. */
  message?: MessageId
  sender: AccountId
  kind?: MailboxEntry['kind']
  /** In which the message was written, and in which this account is. */
  epoch?: number | undefined
  ownEpoch?: number
}

/** Whatever becomes an `undecryptable` notice is logged by this phrase, which the documents name. */
export function logUnreadable(log: Log, unreadable: Unreadable): void {
  log.warn(unreadable, 'message could not be read')
}

export const keysLost = { code: 'keys-lost', reason: 'The account was restored without the keys of this group.' }
export const groupUnknown = { code: 'group-unknown', reason: 'This account could not join the group of the message.' }
export const contentMalformed = {
  code: 'content-malformed',
  reason: 'The message decrypts, and is no content of ours.',
}
