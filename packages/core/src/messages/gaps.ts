// Counts messages that did not arrive. The sender says how many it gave up itself; a notice reports the rest.
import type { Notice } from '@postern/bot-api/events'
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { Unsent } from '@postern/protocol/content'
import { emitNotice } from '../chats/notices.ts'
import { findChat, isInUse } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import type { Database } from '../storage/database.ts'

/**
 * Per sender and epoch: how many messages were skipped,
 * how many of them the sender gave up, and how many were reported.
 */
type Gap = { sender: AccountId; skipped: number; explained: number; told: number }

type InChat = { group: GroupId; chat: ChatId; ts: number }
type Read = InChat & { sender: AccountId; skipped: number; unsent: Unsent | undefined }

/**
 * Called with each message. Messages in flight may still explain a gap, so it is reported with the next message, or
 * when the epoch ends. A message that was given up while others were in flight was not withheld.
 */
export function noteGap(core: Pick<Core, 'elapsed'>, database: Database, read: Read): void {
  const { group, chat, sender, skipped } = read
  const before = database.get<Gap>('SELECT * FROM gap WHERE group_id = ? AND sender = ?', group, sender)
  if (skipped === 0 && !before) return
  const { gaveUp, waiting } = read.unsent ?? { gaveUp: 0, waiting: 0 }
  const gap: Gap = {
    sender,
    skipped: (before?.skipped ?? 0) + skipped,
    explained: gaveUp,
    told: before?.told ?? 0,
  }
  const missing = Math.max(0, missingIn(gap) - waiting)
  database.run(
    'INSERT OR REPLACE INTO gap (group_id, sender, skipped, explained, told) VALUES (?, ?, ?, ?, ?)',
    group,
    sender,
    gap.skipped,
    gap.explained,
    gap.told + missing,
  )
  // Before the message that shows the gap.
  tellMissing(core, database, { chat, sender, count: missing, ts: read.ts - 1 })
}

/** Called when the epoch ends: nothing can explain the gaps any more. */
export function reportGaps(core: Pick<Core, 'elapsed'>, database: Database, { group, chat, ts }: InChat): void {
  const gaps = database.all<Gap>('SELECT * FROM gap WHERE group_id = ?', group)
  if (gaps.length === 0) return
  for (const gap of gaps) tellMissing(core, database, { chat, sender: gap.sender, count: missingIn(gap), ts })
  database.run('DELETE FROM gap WHERE group_id = ?', group)
}

const missingIn = ({ skipped, explained, told }: Gap): number => Math.max(0, skipped - explained - told)

function tellMissing(
  core: Pick<Core, 'elapsed'>,
  database: Database,
  { chat: id, sender, count, ts }: { chat: ChatId; sender: AccountId; count: number; ts: number },
): void {
  const chat = findChat(database, id)
  if (count === 0 || !isInUse(chat)) return
  const notice: Notice = { code: 'missing', from: personOf(database, sender), count }
  emitNotice(core, database, { chat: id, notice, ts })
}
