// Erases disappearing messages when their time is up, with one event per chat.
import { clientLimits } from '@postern/protocol'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { appendEvent } from '../journal/journal.ts'
import { expiredMessages, hasOverlongCountdown, shortenCountdowns } from '../messages/countdowns.ts'
import { countUnread, eraseMessage } from '../messages/messages.ts'
import { emitAbout } from './emit-about.ts'

/**
 * Shortens a countdown that began when the clock was ahead to its timer:
 * the message would stay too long by that difference.
 */
export async function eraseInTime({
  store,
  elapsed,
  rescheduleTimers,
}: Pick<Core, 'store' | 'elapsed' | 'rescheduleTimers'>): Promise<void> {
  const nowMs = elapsed.nowMs()
  if (!hasOverlongCountdown(store, nowMs)) return
  await store.write(database => shortenCountdowns(database, nowMs))
  rescheduleTimers()
}

/** A bounded batch: the caller checks again when the next one is due. */
export async function expireMessages(core: Pick<Core, 'store' | 'own' | 'elapsed' | 'wakeChores'>): Promise<void> {
  const nowMs = core.elapsed.nowMs()
  const count = await core.store.write(database => {
    const expired = expiredMessages(database, nowMs, clientLimits.expirePerTurnMax)
    const byChat = Map.groupBy(expired, row => row.chat_id)
    for (const [chat, rows] of byChat) {
      for (const { id } of rows) eraseMessage(database, id, 'here')
      countUnread(database, chat)
      const row = findChat(database, chat)
      if (row?.state === 'request') {
        for (const { id } of rows.filter(({ reported }) => reported))
          emitAbout(core, database, { chat: row, type: 'expired', message: id, by: undefined, ts: nowMs })
        continue
      }
      appendEvent(core, database, { type: 'expired', chat_id: chat, expired: rows.map(row => row.id) })
    }
    return expired.length
  })
  if (count === 0) return
  core.store.eraseTraces()
  core.wakeChores()
}
