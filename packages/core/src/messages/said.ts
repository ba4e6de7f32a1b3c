// One content in its chat: who said it, when, and what.
import type { AccountId, MessageId, SendId } from '@postern/protocol'
import type { Content } from '@postern/protocol/content'
import type { ChatRow } from '../chats/chats.ts'

export type Said = {
  id: MessageId
  chat: ChatRow
  sender: AccountId
  ts: number
  send: SendId
  body: Content['body']
}

export type SaidOf<Kind extends Content['body']['kind']> = Said & { body: Extract<Content['body'], { kind: Kind }> }
