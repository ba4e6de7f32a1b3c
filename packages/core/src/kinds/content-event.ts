// One content in its chat: its sender, its time and its body.
import type { AccountId, MessageId, SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { ChatRow } from '../chats/records/chats.ts'

export type KindName = Content['body']['kind']

export type ContentBodies = { [Name in KindName]: Extract<Content['body'], { kind: Name }> }

export type ContentEventOf<Name extends KindName> = {
  id: MessageId
  chat: ChatRow
  sender: AccountId
  ts: number
  send: SendId
  body: ContentBodies[Name]
}

export type ContentEvent = ContentEventOf<KindName>
