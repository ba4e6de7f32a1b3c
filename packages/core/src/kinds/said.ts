// One content in its chat: who said it, when, and what.
import type { AccountId, MessageId, SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { ChatRow } from '../chats/chats.ts'

export type KindName = Content['body']['kind']

export type Bodies = { [Name in KindName]: Extract<Content['body'], { kind: Name }> }

export type SaidOf<Name extends KindName> = {
  id: MessageId
  chat: ChatRow
  sender: AccountId
  ts: number
  send: SendId
  body: Bodies[Name]
}

export type Said = SaidOf<KindName>
