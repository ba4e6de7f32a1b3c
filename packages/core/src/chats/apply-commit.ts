// What a commit means for its chat: members, title and timer as they are now, and a line about what changed.
import type { Notice } from '@postern/bot-api/objects'
import type { AccountId, ChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import type { Database } from '../storage/database.ts'
import { applySettings, findChat, membersOf, replaceMembers, setChatState, titleOf, viewChat } from './chats.ts'

export type AppliedCommit = {
  chat: ChatId
  committer: AccountId
  /** Everybody in the group after it. */
  accounts: AccountId[]
  settings: GroupSettings
}

export function applyCommit(core: Core, database: Database, commit: AppliedCommit): void {
  if (!findChat(database, commit.chat)) return
  const tell = tellChanges(core, database, commit)
  applySettings(database, commit.chat, commit.settings)
  replaceMembers(database, commit.chat, commit)
  if (commit.committer !== core.own.id) tell({ restarted: false })
}

/** Compares with what people were shown, before that is changed; what it gives tells them, after. */
export function tellChanges(
  core: Core,
  database: Database,
  commit: AppliedCommit,
): (how: { restarted: boolean }) => void {
  const before = findChat(database, commit.chat)
  const notices = noticesOf(database, commit)
  return ({ restarted }) => {
    if (before?.visible !== 1 || before.state !== 'active') return
    const restart: Notice = { code: 'restarted', from: personOf(database, commit.committer) }
    report(core, database, { chat: commit.chat, notices: restarted ? [restart, ...notices] : notices })
  }
}

/** Removed by somebody: the chat stays readable, and nothing more can be written to it. */
export function applyRemoval(core: Core, database: Database, removal: { chat: ChatId; committer: AccountId }): void {
  const own = core.own.id
  const before = findChat(database, removal.chat)
  if (!before || before.state === 'left') return
  setChatState(database, removal.chat, 'left')
  database.run('DELETE FROM member WHERE chat_id = ? AND account_id = ?', removal.chat, own)
  if (before.visible !== 1) return
  const members = [personOf(database, own)]
  const notices: Notice[] = [{ code: 'removed', from: personOf(database, removal.committer), members }]
  report(core, database, { chat: removal.chat, notices })
}

function noticesOf(database: Database, commit: AppliedCommit): Notice[] {
  const { settings } = commit
  const from = personOf(database, commit.committer)
  const before = membersOf(database, commit.chat)
  const known = new Set(before.map(member => member.account_id))
  const now = new Set(commit.accounts)
  const joined = commit.accounts.filter(account => !known.has(account))
  const gone = before.filter(member => !now.has(member.account_id))
  const removed = gone.filter(member => !member.leaving).map(member => member.account_id)
  const people = (accounts: AccountId[]) => accounts.map(account => personOf(database, account))
  const chat = findChat(database, commit.chat)
  const notices: Notice[] = []
  if (joined.length > 0) notices.push({ code: 'joined', from, members: people(joined) })
  if (removed.length > 0) notices.push({ code: 'removed', from, members: people(removed) })
  const title = titleOf(commit.chat, settings)
  if (settings.type === 'group' && title !== chat?.title) notices.push({ code: 'renamed', from, text: title })
  if (settings.timerMs !== chat?.timer_ms) notices.push({ code: 'timer', from, timer_ms: settings.timerMs })
  return notices
}

function report(core: Core, database: Database, { chat, notices }: { chat: ChatId; notices: Notice[] }): void {
  const row = findChat(database, chat)
  if (!row || notices.length === 0) return
  appendEvent(core, database, { type: 'chat', chat_id: chat, chat: viewChat(database, row) })
  for (const notice of notices) appendEvent(core, database, { type: 'notice', chat_id: chat, notice })
}
