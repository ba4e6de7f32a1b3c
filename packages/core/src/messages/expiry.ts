// Disappearing messages: erased when their time is up, with one event per chat.
import { type ChatId, clientLimits, type MessageId } from '@postern/protocol'
import { findChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import { countUnread, eraseMessage } from './messages.ts'
import { tellAbout } from './tell-about.ts'

type Expired = { id: MessageId; chat_id: ChatId; reported: number }

/** By the time that passed. */
export const nextExpiryMs = (core: Core): number | undefined =>
  core.store.get<{ ms: number | null }>('SELECT min(erase_at_ms) AS ms FROM message WHERE erase_at_ms IS NOT NULL')
    ?.ms ?? undefined

/** What was read before the time off was known, and by a clock that is ahead: it would stay for as long as that. */
export async function eraseInTime({ store, passed, rearm }: Core): Promise<void> {
  const nowMs = passed.nowMs()
  // The first condition for the index: by the second alone every message would be looked at.
  const tooLate = 'erase_at_ms > ? AND erase_at_ms > ? + timer_ms'
  if (store.get(`SELECT 1 FROM message WHERE ${tooLate}`, nowMs, nowMs) === undefined) return
  const sql = `UPDATE message SET erase_at_ms = ? + timer_ms WHERE ${tooLate}`
  await store.write(database => database.run(sql, nowMs, nowMs, nowMs))
  rearm()
}

/** A bounded turn; whoever calls looks again when the next is due. */
export async function expireMessages(core: Core): Promise<void> {
  const nowMs = core.passed.nowMs()
  const count = await core.store.write(database => {
    const expired = database.all<Expired>(
      'SELECT id, chat_id, reported FROM message WHERE erase_at_ms <= ? ORDER BY erase_at_ms LIMIT ?',
      nowMs,
      clientLimits.expirePerTurnMax,
    )
    const byChat = Map.groupBy(expired, row => row.chat_id)
    for (const [chat, rows] of byChat) {
      for (const { id } of rows) eraseMessage(database, id, 'here')
      countUnread(database, chat)
      const row = findChat(database, chat)
      if (row?.state === 'request') {
        for (const { id } of rows.filter(({ reported }) => reported))
          tellAbout(core, database, { chat: row, type: 'expired', message: id, by: undefined, ts: nowMs })
        continue
      }
      appendEvent(core, database, { type: 'expired', chat_id: chat, expired: rows.map(row => row.id) })
    }
    return expired.length
  })
  if (count === 0) return
  core.store.eraseTraces()
  core.poke()
}
