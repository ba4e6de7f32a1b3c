// Reports what came while a chat was a request, once it is accepted: messages and the events about them, in order.
import type { ChatId } from '@postern/protocol'
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import { releaseHeld } from '../messages/held-events.ts'
import { type MessageRow, markReported, unreportedMessages } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { appendAbout } from '../timeline/emit-about.ts'
import { viewMessage } from '../timeline/view-message.ts'

export function reportHeld(core: Pick<Core, 'own' | 'elapsed'>, database: Database, chat: ChatId): void {
  const messages = unreportedMessages(database, chat).map(row => ({
    ts: row.ts,
    tell: () => reportMessage(core, database, row),
  }))
  const held = releaseHeld(database, chat).map(about => ({
    ts: about.ts,
    tell: () => appendAbout(core, database, { chat, about }),
  }))
  for (const { tell } of [...messages, ...held].toSorted((a, b) => a.ts - b.ts)) tell()
}

function reportMessage(core: Pick<Core, 'own' | 'elapsed'>, database: Database, row: MessageRow): void {
  const message = viewMessage(database, row, core.own.id)
  appendEvent(core, database, { type: 'message', chat_id: row.chat_id, message })
  markReported(database, row.id)
}
