// A commit in its place of the log: our own is adopted, another's is judged by what was true before it.
import type { Notice } from '@postern/bot-api/events'
import { type DecryptedMessage, epoch, type GroupSession, type Member, memberAccounts, rosterOf } from '@postern/mls'
import { type AccountId, CodedError } from '@postern/protocol'
import { decodeGroupSettings } from '@postern/protocol/content'
import type { MailboxEntry } from '@postern/protocol/relay'
import { agreedSettings } from '../chats/keys/agreed-settings.ts'
import { noteDeviceKeys } from '../chats/keys/device-keys.ts'
import { applyCommit, applyRemoval } from '../chats/members/apply-commit.ts'
import { type Disagreement, noteDisagreement } from '../chats/members/repair-rosters.ts'
import { emitNotice } from '../chats/notices.ts'
import { forgetAsked } from '../chats/records/asked-rejoins.ts'
import { type ChatRow, findChat, isInUse, isMember, noteReturn } from '../chats/records/chats.ts'
import { forgetNewcomers, noteAdded, noteNewcomers, strangersAmong } from '../chats/records/newcomers.ts'
import { forgetRejoin } from '../chats/records/rejoins.ts'
import type { Core } from '../context.ts'
import { endGroup, findGroup, noteUpdated, saveEpoch } from '../groups/group-records.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { deletePending } from '../groups/pending-commits.ts'
import { nextRenewalMs } from '../groups/renewal.ts'
import { personOf } from '../identity/people.ts'
import { compareLists } from '../judge/compare-lists.ts'
import { type Deed, judgeCommit, type Picture } from '../judge/judge-commit.ts'
import { reportGaps } from '../messages/gaps.ts'
import type { Database } from '../storage/database.ts'
import type { WriteEntry } from './write-entry.ts'

type Commit = Extract<DecryptedMessage, { kind: 'commit' }>

export function followCommit(
  core: Core,
  live: LiveGroup,
  { entry, write, commit }: { entry: MailboxEntry; write: WriteEntry; commit: Commit },
): void {
  const deed = deedOf(commit)
  const verdict = judgeCommit({ ...pictureOf(live), leaving: commit.farewells }, deed)
  if (verdict.kind === 'refuse') return refuseCommit(core, live, { write, offender: deed.committer, why: verdict.why })
  if (commit.removedSelf) return followRemoval(core, live, { write, commit })
  const disagreement = disagreementOf(live, { entry, commit, deed })
  live.session = commit.session
  // Followed is not lost: with the records it is open again, and nothing could be changed in it before the next start.
  live.isBroken = isEnded(core, live)
  write(database => {
    reportGaps(core, database, { group: live.id, chat: live.chat, ts: entry.ts })
    writeCommit(core, database, { live, commit, ts: entry.ts })
    if (disagreement) noteDisagreement(core, database, disagreement)
  }, live)
}

const accounts = (members: { accountId: AccountId }[]): AccountId[] => members.map(member => member.accountId)

const deedOf = ({ committer, added, removed, settings }: Commit): Deed => ({
  committer,
  added: accounts(added),
  removed: accounts(removed),
  settings: decodeGroupSettings(settings),
})

const pictureOf = ({ session }: LiveGroup): Omit<Picture, 'leaving'> => ({
  settings: agreedSettings(session),
  members: memberAccounts(session),
})

/** Where the relay was told something else than what the commit did. */
function disagreementOf(
  live: LiveGroup,
  { entry, commit, deed }: { entry: MailboxEntry; commit: Commit; deed: Deed },
): Disagreement | undefined {
  const before = memberAccounts(live.session)
  const after = memberAccounts(commit.session)
  const differ = compareLists(entry, { ...deed, before, after })
  return differ && { ...differ, group: live.id, chat: live.chat, committer: deed.committer, ts: entry.ts }
}

function writeCommit(
  core: Pick<Core, 'own' | 'elapsed' | 'log' | 'wakeChores'>,
  database: Database,
  { live, commit, ts }: { live: LiveGroup; commit: Commit; ts: number },
): void {
  const { id, chat } = live
  const { session, committer } = commit
  saveEpoch(database, id, { session, hasNewMembers: commit.added.length > 0 })
  forgetAsked(database, id)
  for (const { accountId } of commit.added) {
    forgetRejoin(database, { group: id, account: accountId })
    noteReturn(database, chat, accountId)
  }
  if (!isInForce(core, database, { live, committer })) {
    forgetNewcomers(database, chat, accounts(commit.removed))
    return noteNewcomers(core, database, { chat, committer, added: accounts(commit.added) })
  }
  const added = strangersAmong(database, chat, accounts(commit.added))
  applyCommit(core, database, {
    chat,
    committer,
    accounts: memberAccounts(session),
    settings: agreedSettings(session),
    ts,
  })
  noteAdded(database, { chat, committer, added }, { group: id, epoch: epoch(session) })
  // Also who commits: one whose first key was not noted would come with another unnoticed.
  const met = [...accounts(commit.added), ...commit.changedKeys, committer]
  noteDeviceKeys(core, database, { members: membersIn(session, met), ts })
}

/** This account was removed by a member who may: the chat stays readable. Added anew by the same commit, it goes on with the welcome. */
function followRemoval(
  core: Pick<Core, 'own' | 'elapsed' | 'log'>,
  live: LiveGroup,
  { write, commit }: { write: WriteEntry; commit: Commit },
): void {
  const { chat, id } = live
  live.session = commit.session
  live.isBroken = true
  const { lastTs: ts } = live
  write(database => {
    endGroup(database, id, { nowMs: core.elapsed.nowMs() })
    const { committer } = commit
    if (commit.readdedSelf)
      return core.log.debug({ kind: 'removal', group: id, committer, reason: 'added anew by it' }, 'ignored')
    if (isInForce(core, database, { live, committer })) applyRemoval(core, database, { chat, committer, ts })
  }, live)
}

type Refused = { write: WriteEntry; offender: AccountId; why: string }

/** The log cannot be followed any further by anybody honest: the chat is carried on by another group, without who did it. */
export function refuseCommit(
  core: Pick<Core, 'groups' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'>,
  live: LiveGroup,
  { write, offender, why }: Refused,
): void {
  core.log.warn({ group: live.id, offender, why }, 'commit refused')
  live.isBroken = true
  const { lastTs: ts } = live
  write(database => {
    endGroup(database, live.id, { nowMs: core.elapsed.nowMs(), offender })
    const chat = findChat(database, live.chat)
    if (!chat || !endsChat(core, database, { chat, live, offender })) return
    if (!isInUse(chat)) return
    const notice: Notice = { code: 'refused', from: personOf(database, offender), text: why }
    emitNotice(core, database, { chat: chat.id, notice, ts })
  }, live)
  core.wakeChores()
  core.rescheduleTimers()
}

/**
 * What is proved in a group from before holds in the one that carries it on: else who goes on in the old one without the
 * offender, and who goes on in the new one with it, would refuse each other's groups for ever.
 */
function endsChat(
  core: Pick<Core, 'groups' | 'elapsed'>,
  database: Database,
  { chat, live, offender }: { chat: ChatRow; live: LiveGroup; offender: AccountId },
): boolean {
  if (chat.group_id === live.id) return true
  if (chat.type === 'private' || !isMember(database, chat.id, offender)) return false
  endGroup(database, chat.group_id, { nowMs: core.elapsed.nowMs(), offender })
  core.groups.forget(chat.group_id)
  return true
}

/** Our own commit has reached its place: everything before it was read with the keys before it. */
export function adoptPending(
  core: Pick<Core, 'store' | 'provider' | 'elapsed' | 'log' | 'own' | 'wakeChores'>,
  live: LiveGroup,
  write: WriteEntry,
): void {
  if (!live.pending) throw new CodedError('internal')
  const { next: session, add } = live.pending
  live.session = session
  live.pending = undefined
  live.isBroken = isEnded(core, live)
  const members = memberAccounts(session)
  const { chat, lastTs: ts } = live
  const applied = { chat, committer: core.own.id, accounts: members, settings: agreedSettings(session), ts }
  write(database => {
    reportGaps(core, database, { group: live.id, chat, ts })
    saveEpoch(database, live.id, { session, hasNewMembers: add.length > 0 })
    forgetAsked(database, live.id)
    noteUpdated(database, live.id, nextRenewalMs(core, members.length))
    deletePending(database, live.id)
    for (const account of add) {
      forgetRejoin(database, { group: live.id, account })
      noteReturn(database, live.chat, account)
    }
    const committer = core.own.id
    if (!isInForce(core, database, { live, committer }))
      return noteNewcomers(core, database, { chat, committer, added: add })
    const added = strangersAmong(database, chat, add)
    applyCommit(core, database, applied)
    noteAdded(database, { chat, committer, added }, { group: live.id, epoch: epoch(session) })
    noteDeviceKeys(core, database, { members: membersIn(session, add), ts })
  }, live)
}

/** Whether a member is proved to have ended the group: a commit that crossed the proof does not open it again. */
const isEnded = (core: Pick<Core, 'store'>, live: LiveGroup): boolean =>
  Boolean(findGroup(core.store, live.id)?.offender)

function membersIn(session: GroupSession, accounts: AccountId[]): Member[] {
  if (accounts.length === 0) return []
  // A thousand who come at once would each be looked for among a thousand.
  const wanted = new Set(accounts)
  return [...rosterOf(session).values()].filter(({ accountId }) => wanted.has(accountId))
}

/** Of two groups for a chat both are followed, and people are shown one of them. */
function isInForce(
  { log }: Pick<Core, 'log'>,
  database: Database,
  { live, committer }: { live: LiveGroup; committer: AccountId },
): boolean {
  const inForce = findChat(database, live.chat)?.group_id
  const reason = 'another group of the chat is in force'
  if (inForce !== live.id)
    log.debug({ kind: 'commit', group: live.id, chat: live.chat, committer, inForce, reason }, 'ignored')
  return inForce === live.id
}
