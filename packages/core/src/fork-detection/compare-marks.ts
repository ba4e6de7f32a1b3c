// Detects whether members were shown different histories: they compare a mark of each epoch over another chat.
import type { Notice } from '@postern/bot-api/events'
import { type AccountId, type ChatId, clientLimits, contentLimits } from '@postern/protocol'
import { emitNotice } from '../chats/notices.ts'
import { findChat, membersOf } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { type EpochMark, findMark } from '../groups/epoch-marks.ts'
import { endGroup, findGroup } from '../groups/group-records.ts'
import { hasClaimedSince, hasTrouble, type MarkQuery, noteClaim, noteQuestion } from '../groups/mark-queries.ts'
import { personOf } from '../identity/people.ts'
import { applied, ignored, type Outcome } from '../messages/outcome.ts'
import type { Database } from '../storage/database.ts'

type Comparing = Pick<Core, 'own' | 'elapsed' | 'log' | 'groups' | 'wakeChores' | 'rescheduleTimers'>
type Compared = { from: AccountId; ts: number; mark: EpochMark }

export function questionMark(
  core: Pick<Core, 'own' | 'wakeChores'>,
  database: Database,
  question: MarkQuery & { trouble: boolean },
): void {
  if (question.account === core.own.id) return
  noteQuestion(database, question)
  core.wakeChores()
}

/** A claim cannot be proved: an account that repeats it for a chat would drown all other notices. */
const hasClaimed = (
  { elapsed }: Pick<Core, 'elapsed'>,
  database: Database,
  { chat, from }: { chat: ChatId; from: AccountId },
): boolean =>
  hasClaimedSince(database, { chat, account: from, sinceMs: elapsed.nowMs() - clientLimits.forkClaimEveryMs })

/**
 * Another mark for the same epoch: the relay has shown the two accounts different histories.
 * Both sides report it, and heal.
 */
export function applyMark(core: Comparing, database: Database, { from, ts, mark: told }: Compared): Outcome {
  const { group, epoch, mark } = told
  const row = findGroup(database, group)
  const known = findMark(database, group, epoch)
  const isMember = row && membersOf(database, row.chat_id).some(member => member.account_id === from)
  if (!row || !isMember) return ignored('no such member')
  if (known === undefined) return ignored('no mark of that epoch')
  if (known === mark) return applied
  const isInTrouble = hasTrouble(database, { group, epoch, account: from })
  if (!isInTrouble && hasClaimed(core, database, { chat: row.chat_id, from })) return ignored('claimed a moment ago')
  core.log.error({ group, epoch, from }, 'relay showed a different history to a member')
  questionMark(core, database, { group, epoch, account: from, trouble: false })
  noteClaim(database, { group, epoch, account: from }, core.elapsed.nowMs())
  const chat = findChat(database, row.chat_id)
  if (chat?.visible !== 1 || chat.state !== 'active') return ignored('the chat is not active')
  // A claim alone ends no group: otherwise a member that lies about its mark could restart every group.
  if (isInTrouble && chat.group_id === group && row.epoch === epoch) {
    endGroup(database, group, { nowMs: core.elapsed.nowMs() })
    core.groups.forget(group)
  }
  const notice: Notice = { code: 'forked', from: personOf(database, from) }
  emitNotice(core, database, { chat: chat.id, notice, ts })
  core.rescheduleTimers()
  return applied
}

/** Marks of shared groups that have a new epoch since the account last received one. */
export const untoldMarks = ({ store }: Pick<Core, 'store'>, account: AccountId): EpochMark[] =>
  store.all<EpochMark>(
    `SELECT epoch_mark.group_id AS "group", epoch_mark.epoch, epoch_mark.mark
     FROM member CROSS JOIN chat ON chat.id = member.chat_id
       CROSS JOIN mls_group ON mls_group.id = chat.group_id
       CROSS JOIN epoch_mark ON epoch_mark.group_id = mls_group.id AND epoch_mark.epoch = mls_group.epoch
       LEFT JOIN mark_told ON mark_told.group_id = mls_group.id AND mark_told.account_id = member.account_id
     WHERE member.account_id = ? AND chat.type = 'group' AND chat.state = 'active' AND mls_group.status = 'open'
       AND mls_group.epoch > coalesce(mark_told.epoch, 0)
     LIMIT 0 + ?`,
    account,
    contentLimits.marksPerReceiptMax,
  )

export function noteTold(database: Database, account: AccountId, marks: EpochMark[]): void {
  for (const { group, epoch } of marks)
    database.run('INSERT OR REPLACE INTO mark_told VALUES (?, ?, ?)', group, account, epoch)
}
