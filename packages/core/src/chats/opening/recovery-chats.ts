// The chats of this account as recovery facts: their members, and the groups by which others know them.
import { type AccountId, clientLimits, type GroupId, recoveryLimits } from '@postern/protocol'
import type { ChatFacts } from '@postern/protocol/content'
import { insertKeyless } from '../../groups/keyless-groups.ts'
import type { Database } from '../../storage/database.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { type ChatRow, insertChat, membersOf, replaceMembers } from '../records/chats.ts'
import { hideChat } from '../records/declined-chats.ts'
import { beyondAll } from './open-chat.ts'

type Reads = Pick<Store, 'get' | 'all'>
type GroupFacts = ChatFacts['groups'][number]

/** Includes chats that are not shown: otherwise their earlier entries would seem to come from strangers. */
export const chatFacts = (reads: Reads): ChatFacts[] =>
  reads
    .all<ChatRow>('SELECT * FROM chat ORDER BY visible DESC, first_seen_ts DESC LIMIT 0 + ?', recoveryLimits.chatsMax)
    .map(row => factsOf(reads, row))
    .filter(({ groups }) => groups.length > 0)

const factsOf = (reads: Reads, row: ChatRow): ChatFacts => ({
  id: row.id,
  type: row.type,
  state: row.state,
  visible: row.visible === 1,
  title: row.title,
  timerMs: row.timer_ms,
  firstSeenTs: row.first_seen_ts,
  groups: groupsOf(reads, row),
  members: membersOf(reads, row.id)
    .filter(member => !member.leaving)
    .map(({ account_id: id, admin }) => ({ id, admin: admin === 1 })),
})

const groupsOf = (reads: Reads, { id, group_id }: ChatRow): GroupFacts[] =>
  reads.all<GroupFacts>(
    `SELECT id, generation, inviter FROM mls_group WHERE chat_id = ?
     ORDER BY id = ? DESC, generation DESC, id LIMIT 0 + ?`,
    id,
    group_id,
    recoveryLimits.groupsPerChatMax,
  )

/**
 * Restores each chat as one whose keys are lost: healing gets it new ones.
 * A chat that was left has nothing to show any more.
 */
export function restoreChats(database: Database, chats: readonly ChatFacts[], nowMs: number): void {
  for (const chat of chats) {
    const [current] = chat.groups
    if (current) restoreChat(database, chat, { current: current.id, nowMs })
  }
}

function restoreChat(
  database: Database,
  chat: ChatFacts,
  { current, nowMs }: { current: GroupId; nowMs: number },
): void {
  const { id, state, firstSeenTs } = chat
  const settings = settingsOf(chat)
  const visible = chat.visible && state !== 'left' ? 1 : 0
  insertChat(database, { id, group_id: current, state, visible, first_seen_ts: firstSeenTs }, settings)
  // It may have been deleted: only a new message shows it.
  if (!visible && state === 'active' && chat.type === 'private') hideChat(database, id)
  replaceMembers(database, id, { accounts: chat.members.map(member => member.id), settings })
  // The others know better who is in a group by now: they have time to add this account before it carries the group on.
  const endedMs = nowMs + clientLimits.restartStaleAfterMs
  for (const group of chat.groups)
    insertKeyless(database, { ...group, chat: id, generation: generationOf(chat, group, nowMs), endedMs })
}

/** The next generation of a private chat must be above those made since the facts were written. */
const generationOf = ({ type }: ChatFacts, { generation }: GroupFacts, nowMs: number): number =>
  type === 'private' ? Math.max(generation, beyondAll(nowMs)) : generation

function settingsOf({ type, title, timerMs, members }: ChatFacts): Parameters<typeof insertChat>[2] {
  if (type === 'private') return { v: 1, type, generation: 0, timerMs }
  const admins: AccountId[] = members.flatMap(({ id, admin }) => (admin ? [id] : []))
  return { v: 1, type, title, admins, timerMs, generation: 0 }
}
