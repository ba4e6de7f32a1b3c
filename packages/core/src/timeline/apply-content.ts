// Applies content to the records and emits its event, in the same way for content of others and of this account.
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import type { ContentEvent } from '../kinds/content-event.ts'
import type { ApplyContext, DeliveryWay } from '../kinds/kind.ts'
import { applyKind } from '../kinds/kinds.ts'
import type { MessageRow } from '../messages/messages.ts'
import type { Reason } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'
import { emitAbout } from './emit-about.ts'
import { viewNewMessage } from './view-message.ts'

/** Returns the row of a new message. */
export function applyContent(
  core: ApplyContext,
  database: Database,
  { way, ...said }: ContentEvent & { way: DeliveryWay },
): MessageRow | undefined {
  const outcome = applyKind(core, database, { kind: said.body.kind, said, way })
  if (outcome.kind === 'ignored') return logIgnored(core, said, outcome.reason)
  const { message, about } = outcome
  if (said.sender === core.own.id) return message
  if (message?.reported) {
    const shown = viewNewMessage(database, message, core.own.id)
    appendEvent(core, database, { type: 'message', chat_id: message.chat_id, message: shown })
  }
  if (about && said.chat.state === 'left') logIgnored(core, said, 'the chat was left')
  else if (about) emitAbout(core, database, { chat: said.chat, ...about })
  return message
}

/** Explains a missing event in the log: ids and a fixed reason, never content. */
export function logIgnored({ log }: Pick<Core, 'log'>, { id, chat, body }: ContentEvent, reason: Reason): undefined {
  const target = 'target' in body && { target: body.target }
  log.debug({ kind: body.kind, reason, chat: chat.id, message: id, ...target }, 'ignored')
}
