// Marks messages as read: the unread count falls,
// the authors get receipts, and disappearing messages start to count down.
import type { AccountId, ChatId, MessageId } from '@postern/protocol'
import { visibleChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { hasReadReceipts } from '../storage/state/read-receipts.ts'
import { countUnread, findMessage, type MessageRow } from './messages.ts'
import { owesReceipt } from './receipts-due.ts'

/** Marks everything when no message is named. Durable here; the receipts follow when the relay can be reached. */
export async function markRead(
  core: Pick<Core, 'store' | 'clock' | 'elapsed' | 'rescheduleTimers' | 'arrived'>,
  chat: ChatId,
  upTo: MessageId | undefined,
): Promise<void> {
  const row = visibleChat(core.store, chat)
  const upToTs = upTo === undefined ? Number.MAX_SAFE_INTEGER : findMessage(core.store, chat, upTo).ts
  await core.store.write(database => {
    const unread = database.all<MessageRow>(
      'SELECT * FROM message WHERE chat_id = ? AND read = 0 AND ts <= ? ORDER BY ts',
      chat,
      upToTs,
    )
    const newest = new Map<AccountId, number>()
    for (const message of unread) {
      const { id, timer_ms: timerMs } = message
      database.run(
        'UPDATE message SET read = 1, expires_ts = ?, erase_at_ms = ? WHERE id = ?',
        timerMs > 0 ? core.clock.nowMs() + timerMs : null,
        timerMs > 0 ? core.elapsed.latestMs() + timerMs : null,
        id,
      )
      newest.set(message.sender, message.ts)
    }
    countUnread(database, chat)
    // An author knows already that they have arrived: a second such receipt would tell when they were read.
    if (!hasReadReceipts(database)) return
    for (const [author, ts] of newest) owesReceipt(core, database, { chat: row, author, deliveredTs: ts, readTs: ts })
  })
  core.rescheduleTimers()
}
