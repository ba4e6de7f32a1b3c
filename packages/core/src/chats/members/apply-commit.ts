// Applies a commit to its chat: the new members, title and timer, and a notice of the change.
import type { Notice } from '@postern/bot-api/events'
import type { AccountId, ChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import type { Core } from '../../context.ts'
import { personOf } from '../../identity/people.ts'
import { appendEvent } from '../../journal/journal.ts'
import type { Database } from '../../storage/database.ts'
import { emitNotice, keepNotice } from '../notices.ts'
import { knownPicture } from '../records/chat-pictures.ts'
import {
  applySettings,
  deleteMember,
  findChat,
  isInUse,
  membersOf,
  replaceMembers,
  setChatState,
  titleOf,
  viewChat,
} from '../records/chats.ts'

export type ChatCommit = {
  chat: ChatId
  committer: AccountId
  /** Everyone in the group after the commit. */
  accounts: AccountId[]
  settings: GroupSettings
  ts: number
}

type Telling = Pick<Core, 'elapsed' | 'log'>

/** No event is emitted, so the log says why. */
const passOver = (
  { log }: Telling,
  { chat, committer }: { chat: ChatId; committer: AccountId },
  reason: string,
): void => log.debug({ kind: 'commit', chat, committer, reason }, 'ignored')

export function applyCommit(core: Telling & Pick<Core, 'own'>, database: Database, commit: ChatCommit): void {
  const chat = findChat(database, commit.chat)
  if (!chat) return passOver(core, commit, 'the chat is not there')
  const tell = tellChanges(core, database, commit)
  applySettings(database, commit.chat, commit.settings)
  replaceMembers(database, commit.chat, commit)
  if (commit.committer !== core.own.id || isInUse(chat)) tell({ restarted: false })
}

/** Compares the commit with the records before they change. The returned function emits the notices afterwards. */
export function tellChanges(
  core: Telling & Pick<Core, 'own'>,
  database: Database,
  commit: ChatCommit,
): (how: { restarted: boolean }) => void {
  const before = findChat(database, commit.chat)
  const notices = noticesOf(database, commit)
  return ({ restarted }) => {
    if (!isInUse(before)) return passOver(core, commit, 'the chat is not in use')
    const restart: Notice = { code: 'restarted', from: personOf(database, commit.committer) }
    report(core, database, { ...commit, notices: restarted ? [restart, ...notices] : notices })
  }
}

/** Somebody removed this account: the chat stays readable, and nothing more can be written to it. */
export function applyRemoval(
  core: Telling & Pick<Core, 'own'>,
  database: Database,
  removal: Pick<ChatCommit, 'chat' | 'committer' | 'ts'>,
): void {
  const own = core.own.id
  const before = findChat(database, removal.chat)
  if (!before || before.state === 'left') return passOver(core, removal, 'the chat was left before')
  setChatState(database, removal.chat, 'left')
  deleteMember(database, removal.chat, own)
  if (before.visible !== 1) return passOver(core, removal, 'nobody was shown the chat')
  const members = [personOf(database, own)]
  const notices: Notice[] = [{ code: 'removed', from: personOf(database, removal.committer), members }]
  report(core, database, { ...removal, notices })
}

function noticesOf(database: Database, commit: ChatCommit): Notice[] {
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
  notices.push(...adminNotices(database, { ...commit, before }))
  const title = titleOf(commit.chat, settings)
  if (settings.type === 'group' && title !== chat?.title) notices.push({ code: 'renamed', from, text: title })
  notices.push(...pictureNotices(database, commit))
  if (settings.timerMs !== chat?.timer_ms) notices.push({ code: 'timer', from, timer_ms: settings.timerMs })
  return notices
}

function pictureNotices(database: Database, { chat, committer, settings }: ChatCommit): Notice[] {
  if (settings.type !== 'group' || settings.picture === undefined) return []
  const before = knownPicture(database, chat) ?? null
  if (settings.picture === before) return []
  return [{ code: 'picture', from: personOf(database, committer), removed: settings.picture === null }]
}

/** Only members who are in the group before and after: arrivals and departures have notices of their own. */
function adminNotices(
  database: Database,
  { before, accounts, settings, committer }: ChatCommit & { before: ReturnType<typeof membersOf> },
): Notice[] {
  if (settings.type !== 'group') return []
  const [now, admins] = [new Set(accounts), new Set(settings.admins)]
  const stayed = before.filter(member => now.has(member.account_id))
  const from = personOf(database, committer)
  return [true, false].flatMap((admin): Notice[] => {
    const changed = stayed.filter(member => (member.admin === 0) === admin && admins.has(member.account_id) === admin)
    const members = changed.map(member => personOf(database, member.account_id))
    return members.length > 0 ? [{ code: 'admins', from, members, admin }] : []
  })
}

type Report = Pick<ChatCommit, 'chat' | 'committer' | 'ts'> & { notices: Notice[] }

/** The account's own changes are in the history, without an event. */
function report(core: Telling & Pick<Core, 'own'>, database: Database, { chat, committer, ts, notices }: Report): void {
  const row = findChat(database, chat)
  if (!row || notices.length === 0) return
  if (committer === core.own.id) {
    for (const notice of notices) keepNotice(database, { chat, notice, ts })
    return
  }
  appendEvent(core, database, { type: 'chat', chat_id: chat, chat: viewChat(database, row) })
  for (const notice of notices) emitNotice(core, database, { chat, notice, ts })
}
