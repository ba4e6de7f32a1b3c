// One content in its chat: its sender, its time and its body.
import type { AccountId, GroupId, MessageId, SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { ChatRow } from '../chats/records/chats.ts'

export type KindName = Content['body']['kind']

export type ContentBodies = { [Name in KindName]: Extract<Content['body'], { kind: Name }> }

export type ContentEventOf<Name extends KindName> = {
  id: MessageId
  chat: ChatRow
  /** The group in which it was sent: the chat's, or an earlier one. */
  group: GroupId
  sender: AccountId
  ts: number
  send: SendId
  body: ContentBodies[Name]
  /** The proof of a farewell that fits the sender's leaf. */
  farewell?: Uint8Array
}

export type ContentEvent = ContentEventOf<KindName>
