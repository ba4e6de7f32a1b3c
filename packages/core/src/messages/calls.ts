// Calls: there are none with a bot. It declines by itself, and both sides see that it did.
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { ownProfile } from '../identity/profile.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import type { SaidOf } from './said.ts'

export function takeCall(core: Core, database: Database, { chat, sender, body }: SaidOf<'call'>): void {
  if (sender === core.own.id || chat.state !== 'active') return
  const from = personOf(database, sender)
  const isBot = ownProfile(core.store).profile.bot
  if (core.reportsAll && !isBot)
    appendEvent(core, database, { type: 'call', chat_id: chat.id, call: { from, state: body.state } })
  const isDeclined = body.state === 'declined' || isBot
  if (isDeclined)
    appendEvent(core, database, { type: 'notice', chat_id: chat.id, notice: { code: 'call_declined', from } })
  if (body.state === 'ringing' && isBot) core.decline({ chat: chat.id, call: body.call })
}
