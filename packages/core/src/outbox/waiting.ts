// The sends of a chat that wait for the relay's answer, as a screen shows them.
import type { ChatId, SendId } from '@postern/protocol'
import type { Core } from '../context.ts'
import type { KindName } from '../kinds/content-event.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { bodyOf } from '../messages/messages.ts'
import { keyOf } from '../storage/state/idempotency-keys.ts'
import { waitingIn } from './outbox.ts'

export type WaitingSend = {
  sendId: SendId
  /** The idempotency key of its caller. */
  key?: string
  kind: KindName
  /** By the clock of this machine. */
  since_ms: number
  /** No caller waits for the answer any more: the client asks the relay about it as soon as it can be reached. */
  inDoubt: boolean
}

/** Oldest first. */
export const waitingSends = ({ store, sending }: Pick<Core, 'store' | 'sending'>, chat: ChatId): WaitingSend[] =>
  waitingIn(store, chat)
    .map(row => ({ row, body: bodyOf(row) }))
    .filter(({ body }) => !isBetweenClients(body))
    .map(({ row, body }) => {
      const key = keyOf(store, row.send_id)
      return {
        sendId: row.send_id,
        ...(key !== undefined && { key }),
        kind: body.kind,
        since_ms: row.since_ms,
        inDoubt: !sending.has(row.message_id),
      }
    })
