// Whether content of a kind may be sent in a chat now.
import { type ChatId, CodedError } from '@postern/protocol'
import { type ChatRow, findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import type { KindName } from '../kinds/content-event.ts'
import { isBetweenClients } from '../kinds/kinds.ts'

type Speech = { kind: KindName }

export function writableChat({ store }: Pick<Core, 'store'>, chat: ChatId, speech: Speech): ChatRow {
  const row = findChat(store, chat)
  if (!row) throw new CodedError('chat-not-found', { chat })
  // A chat in which two clients speak about a shared group is not shown.
  const isUnseen = row.visible === 0 && (isBetweenClients(speech) || isFarewellTo(row, speech))
  if (row.state === 'request' && !isUnseen) throw new CodedError('chat-is-request')
  if (row.state === 'left') throw new CodedError('chat-left')
  if (row.blocked) throw new CodedError('chat-blocked')
  return row
}

/** A group that was declined is left, and nothing else is ever sent in it. */
const isFarewellTo = (row: ChatRow, { kind }: Speech): boolean => row.declined === 1 && kind === 'leave'
