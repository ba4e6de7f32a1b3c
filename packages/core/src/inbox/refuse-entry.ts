// Handles entries that cannot be read or may not be followed:
// they are never ignored silently, and the chat heals if its keys are lost.
import type { Notice } from '@postern/bot-api/events'
import type { MlsError } from '@postern/mls'
import { clientLimits, type MessageId } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { emitNotice, keepNotice } from '../chats/notices.ts'
import { type ChatRow, deleteMember, findChat, isInUse, isMember } from '../chats/records/chats.ts'
import { noteRefusedIn, noteWarned } from '../chats/records/refusals.ts'
import type { RefusedWelcome } from '../chats/records/refused-welcome.ts'
import { forgetAdded, haveOthersLost } from '../chats/records/rejoins.ts'
import { logUnreadable, type Unreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { questionMark } from '../fork-detection/compare-marks.ts'
import { endGroup, findGroup } from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { wantAdmin } from '../healing/heal-chats.ts'
import { doubtRelay } from '../healing/relay-doubts.ts'
import { noteRefusedGroup } from '../healing/restart-group.ts'
import { personOf } from '../identity/people.ts'
import type { Rule } from '../judge/verdict.ts'
import { hasMessage } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { refuseCommit } from './follow-commit.ts'
import type { WriteEntry } from './write-entry.ts'

type Refused = { entry: MailboxEntry; id: MessageId; epoch: number | undefined; write: WriteEntry; error: MlsError }

/** An unreadable message becomes a notice. After a commit that cannot be followed, the group is replaced. */
export function refuseEntry(core: Core, live: LiveGroup, { entry, id, epoch, write, error }: Refused): void {
  // The signer must also be the sender: a thief of keys must not get their owner removed.
  const isProved = error.committer !== undefined && error.committer === entry.sender
  if (error.code === 'mls-forbidden' && isProved && entry.kind === 'commit')
    return refuseCommit(core, live, { write, offender: error.committer, why: error.message })
  logUnreadable(core.log, unreadableOf(live, { entry, id, epoch, error }))
  const isRepeat = hasMessage(core.store, id)
  // Our own commit without its keys is no harmless echo: this database is older than the group.
  const isEcho = error.code === 'mls-own-message' && entry.kind !== 'commit'
  if (isRepeat || isEcho) return write(() => {})
  const isLost = entry.kind === 'commit' || error.code === 'mls-wrong-epoch' || isForkOfTwo(core, live, error)
  live.isBroken ||= isLost
  write(database => {
    // A member that missed entries would carry on a group that is obsolete, and the others would not follow.
    const isStale = error.code === 'mls-wrong-epoch' || error.code === 'mls-own-message'
    if (entry.kind === 'commit') forgetAdded(database, live.id, entry.added)
    const isAwaited = isStale && !haveOthersLost(core, database, { chat: live.chat, group: live.id })
    const afterMs = isAwaited ? clientLimits.restartStaleAfterMs : 0
    if (isLost) endGroup(database, live.id, { nowMs: core.elapsed.nowMs() + afterMs })
    if (entry.kind === 'commit' && entry.sender === core.own.id) noteOwnRemovals(database, live, entry)
    const chat = shownChat(database, live)
    if (!chat)
      return core.log.debug({ kind: 'undecryptable', group: live.id, reason: 'the chat is not in use' }, 'ignored')
    const notice: Notice = { code: 'undecryptable', from: personOf(database, entry.sender) }
    emitNotice(core, database, { chat: chat.id, notice, ts: entry.ts })
    if (chat.type === 'group' && error.code === 'mls-undecryptable') askSender(core, database, { entry, live })
  }, live)
  // Others still speak in an earlier group of this chat: the relay may not know the current one.
  if (findChat(core.store, live.chat)?.group_id !== live.id) doubtRelay(core, live.chat, entry)
  if (!isLost) return
  core.wakeChores()
  core.rescheduleTimers()
}

export const unreadableOf = (live: LiveGroup, { entry, id, epoch, error }: Omit<Refused, 'write'>): Unreadable => ({
  code: error.code,
  reason: error.message,
  chat: live.chat,
  group: live.id,
  message: id,
  sender: entry.sender,
  kind: entry.kind,
  epoch,
  ownEpoch: epochOf(live),
})

/**
 * A commit that this account made after the backup from which it was restored. The relay names the members that it
 * removed. An admin that did not know this would refuse the members that add it again without them, and would bring
 * them back.
 */
function noteOwnRemovals(database: Database, live: LiveGroup, { sender, added, removed, ts }: MailboxEntry): void {
  const chat = findChat(database, live.chat)
  if (chat?.group_id !== live.id || chat.type !== 'group') return
  const gone = removed.filter(account => !added.includes(account) && isMember(database, chat.id, account))
  for (const account of gone) deleteMember(database, chat.id, account)
  const members = gone.map(account => personOf(database, account))
  const notice: Notice = { code: 'removed', from: personOf(database, sender), members }
  if (gone.length > 0) keepNotice(database, { chat: chat.id, notice, ts })
}

/**
 * It may be a spoilt message, or one from a person who was shown another history:
 * with two people, only new keys can settle it.
 */
const isForkOfTwo = (core: Pick<Core, 'store'>, live: LiveGroup, { code }: MlsError): boolean =>
  code === 'mls-undecryptable' && findChat(core.store, live.chat)?.type === 'private'

/** The account that the relay names may not be the author. Any other member could be asked as well. */
function askSender(
  core: Pick<Core, 'own' | 'wakeChores'>,
  database: Database,
  { entry, live }: { entry: MailboxEntry; live: LiveGroup },
): void {
  if (isMember(database, live.chat, entry.sender))
    questionMark(core, database, { group: live.id, epoch: epochOf(live), account: entry.sender, trouble: true })
}

function shownChat(database: Database, live: LiveGroup): ChatRow | undefined {
  const chat = findChat(database, live.chat)
  return isInUse(chat) ? chat : undefined
}

type WelcomeRefused = { entry: MailboxEntry; write: WriteEntry; error: RefusedWelcome }

/** Reported if it was aimed at a chat of ours: a stranger's attempt, or an invalid one of a member. */
export function refuseWelcome(
  core: Pick<Core, 'own' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'>,
  { entry, write, error }: WelcomeRefused,
): void {
  const { rule, invitation } = error
  core.log.warn({ rule, group: entry.group, inviter: invitation.inviter }, 'welcome refused')
  write(database => {
    const known = findGroup(database, entry.group)
    const chat = findChat(database, known?.chat_id ?? invitation.chat)
    // An admin may do what a member may not: the admins alone are asked, once more.
    if (chat && (rule === 'not-an-admin' || rule === 'not-an-admin-to-name'))
      wantAdmin(core, database, { chat, invitation, ts: entry.ts })
    // Others may have followed it, and speak there.
    if (chat && !known && isMember(database, chat.id, invitation.inviter)) noteRefusedIn(database, chat.id, entry)
    // A welcome that leads back is a replay, or crossed a change of our own: there is nothing to report.
    if (rule === 'not-newer' || !chat) return
    const isByMember = isMember(database, chat.id, invitation.inviter)
    // Also while the chat waits for its owner: it would be in a group that the others have left.
    if (isByMember && !isOfThief(rule))
      noteRefusedGroup(core, database, { chat: chat.id, group: entry.group, generation: invitation.generation })
    if (!isInUse(chat) || !(known || isByMember)) return
    const notice: Notice = { code: 'refused', from: personOf(database, invitation.inviter), text: error.message }
    warn(core, database, { chat, notice, ts: entry.ts })
  })
  core.rescheduleTimers()
}

/** The signer need not be the member: nobody has made a group into which the others would have to follow. */
const isOfThief = (rule: Rule): boolean =>
  rule === 'other-sender' || rule === 'revoked-device' || rule === 'expired-device'

/** Welcomes cost their sender nothing: a flood of them must not drown other events. */
function warn(
  core: Pick<Core, 'elapsed'>,
  database: Database,
  { chat, notice, ts }: { chat: ChatRow; notice: Notice; ts: number },
): void {
  const nowMs = core.elapsed.nowMs()
  if (nowMs - chat.warned_ms < clientLimits.warnEveryMs) return
  noteWarned(database, chat.id, nowMs)
  emitNotice(core, database, { chat: chat.id, notice, ts })
}
