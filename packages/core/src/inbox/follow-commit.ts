// Follows a commit at its place in the log: our own is adopted, another's is judged by the state before it.
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
import { type ChatRow, findChat, isInUse, isMember } from '../chats/records/chats.ts'
import { noteReturn } from '../chats/records/farewells.ts'
import { forgetNewcomers, noteAdded, noteNewcomers, strangersAmong } from '../chats/records/newcomers.ts'
import { forgetRejoin } from '../chats/records/rejoins.ts'
import { forgetRemoved, forgetRemovedIn, noteRemoved, noteRemovedBefore } from '../chats/records/removals.ts'
import type { Core } from '../context.ts'
import { endGroup, noteUpdated, offendersOf, saveEpoch, wantHelloNow } from '../groups/group-records.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { deletePending } from '../groups/pending-commits.ts'
import { nextRenewalMs } from '../groups/renewal.ts'
import { personOf } from '../identity/people.ts'
import { wantsPreviews } from '../identity/preview-wish.ts'
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
  // A group whose commit was followed is not lost: its records open it again. Left broken in memory, it could not be
  // changed before the next start.
  live.isBroken = isEnded(core, live)
  write(database => {
    reportGaps(core, database, { group: live.id, chat: live.chat, ts: entry.ts })
    writeCommit(core, database, { live, commit, ts: entry.ts })
    if (disagreement) noteDisagreement(core, database, disagreement)
  }, live)
}

const accounts = (members: { accountId: AccountId }[]): AccountId[] => members.map(member => member.accountId)

/**
 * Without members that the commit only gives new keys: the maker of the group in force knew those, and left them out as
 * offenders or because an admin had removed them.
 */
function comersOf({ added, removed }: Commit): { came: AccountId[]; gone: AccountId[] } {
  const [came, gone] = [new Set(accounts(added)), new Set(accounts(removed))]
  return { came: [...came.difference(gone)], gone: [...gone.difference(came)] }
}

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

/** The differences between the lists that the relay received and the commit. */
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
  if (wantsPreviews(database)) core.wakeChores()
  forgetAsked(database, id)
  const added = strangersAmong(database, chat, accounts(commit.added))
  // Its commit gives it a new leaf, which its farewell does not fit.
  noteReturn(database, chat, committer)
  for (const { accountId } of commit.added) {
    forgetRejoin(database, { group: id, account: accountId })
    noteReturn(database, chat, accountId)
  }
  const { came, gone } = comersOf(commit)
  const place = { group: id, epoch: epoch(session) }
  if (!isInForce(core, database, { live, committer })) {
    forgetNewcomers(database, chat, gone)
    noteRemovedBefore(database, { chat, committer, removed: gone }, place)
    forgetRemovedIn(database, { chat, group: id }, came)
    if (gone.length > 0) core.wakeChores()
    return noteNewcomers(core, database, { chat, committer, added: came })
  }
  forgetRemoved(database, chat, added)
  noteRemoved(database, { chat, removed: gone }, place)
  applyCommit(core, database, {
    chat,
    committer,
    accounts: memberAccounts(session),
    settings: agreedSettings(session),
    ts,
  })
  noteAdded(database, { chat, committer, added }, place)
  // Includes the committer: if its first key were not noted, a changed one would go unnoticed.
  const met = [...accounts(commit.added), ...commit.changedKeys, committer]
  noteDeviceKeys(core, database, { members: membersIn(session, met), ts })
}

/**
 * A member that may do so removed this account: the chat stays readable.
 * If the same commit adds it again, the welcome continues the chat.
 */
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

/** No honest member can follow the log any further: another group carries the chat on, without the offender. */
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
    // The group in force may be made without it because its maker had not read that somebody added it.
    forgetNewcomers(database, live.chat, [offender])
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
 * A proof from an earlier group also holds in the group that carries it on. Otherwise members that continue in the old
 * one without the offender, and those that continue in the new one with it, would refuse each other's groups forever.
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

/** Our own commit has reached its place: everything before it was read with the earlier keys. */
export function adoptPending(
  core: Pick<Core, 'store' | 'provider' | 'elapsed' | 'log' | 'own' | 'wakeChores'>,
  live: LiveGroup,
  write: WriteEntry,
): void {
  if (!live.pending) throw new CodedError('internal')
  const { next: session, add } = live.pending
  const before = new Set(memberAccounts(live.session))
  live.session = session
  live.pending = undefined
  live.isBroken = isEnded(core, live)
  const members = memberAccounts(session)
  const { chat, lastTs: ts } = live
  const applied = { chat, committer: core.own.id, accounts: members, settings: agreedSettings(session), ts }
  write(database => {
    reportGaps(core, database, { group: live.id, chat, ts })
    saveEpoch(database, live.id, { session, hasNewMembers: add.length > 0 })
    // The epoch has a new key for previews, and new members learn that they are wanted.
    if (wantsPreviews(database)) core.wakeChores()
    forgetAsked(database, live.id)
    noteUpdated(database, live.id, nextRenewalMs(core, members.length))
    deletePending(database, live.id)
    const added = strangersAmong(database, chat, add)
    for (const account of add) {
      // Without a word from its adder, a client that has never seen the chat would not show it.
      if (forgetRejoin(database, { group: live.id, account })) wantHelloNow(database, [live.id])
      noteReturn(database, live.chat, account)
    }
    const committer = core.own.id
    const place = { group: live.id, epoch: epoch(session) }
    const removed = [...before].filter(account => !members.includes(account))
    if (!isInForce(core, database, { live, committer })) {
      noteRemovedBefore(database, { chat, committer, removed }, place)
      if (removed.length > 0) core.wakeChores()
      return noteNewcomers(core, database, { chat, committer, added: add.filter(account => !before.has(account)) })
    }
    forgetRemoved(database, chat, added)
    noteRemoved(database, { chat, removed }, place)
    applyCommit(core, database, applied)
    noteAdded(database, { chat, committer, added }, place)
    noteDeviceKeys(core, database, { members: membersIn(session, add), ts })
  }, live)
}

/** Whether a member is proved to have ended the group: a commit that crossed the proof does not open it again. */
const isEnded = (core: Pick<Core, 'store'>, live: LiveGroup): boolean => offendersOf(core.store, live.id).length > 0

function membersIn(session: GroupSession, accounts: AccountId[]): Member[] {
  if (accounts.length === 0) return []
  // Otherwise each of a thousand new members would be searched among a thousand.
  const wanted = new Set(accounts)
  return [...rosterOf(session).values()].filter(({ accountId }) => wanted.has(accountId))
}

/** If a chat has two groups, both are followed, and only one of them is shown. */
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
