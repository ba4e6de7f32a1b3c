// What could not be read or may not be followed: never silent, and where the keys are at their end, the chat heals.
import type { Notice } from '@postern/bot-api/events'
import type { MlsError } from '@postern/mls'
import { clientLimits, type MessageId } from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import { type ChatRow, findChat, isInUse, isMember } from '../chats/chats.ts'
import { tellNotice } from '../chats/notices.ts'
import { noteWarned } from '../chats/refusals.ts'
import type { RefusedWelcome } from '../chats/refused-welcome.ts'
import type { Core } from '../context.ts'
import { endGroup, findGroup } from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { wantAdmin } from '../healing/heal-chats.ts'
import { noteRefusedGroup } from '../healing/restart-group.ts'
import { questionMark } from '../histories/compare-marks.ts'
import { personOf } from '../identity/people.ts'
import { hasMessage } from '../messages/messages.ts'
import type { Database } from '../storage/database.ts'
import { refuseCommit } from './follow-commit.ts'
import type { WriteEntry } from './write-entry.ts'

type Refused = { entry: Entry; id: MessageId; write: WriteEntry; error: MlsError }

/** An unreadable message becomes a notice; after a commit that cannot be followed the group is replaced. */
export function refuseEntry(core: Core, live: LiveGroup, { entry, id, write, error }: Refused): void {
  if (error.code === 'mls-forbidden' && error.committer && entry.kind === 'commit')
    return refuseCommit(core, live, { write, offender: error.committer, why: error.message })
  core.log.warn({ code: error.code, group: live.id, kind: entry.kind }, 'an entry could not be read')
  const isRepeat = hasMessage(core.store, id)
  // Our own commit without its keys is no harmless echo: this database is older than the group.
  const isEcho = error.code === 'mls-own-message' && entry.kind !== 'commit'
  if (isRepeat || isEcho) return write(() => {})
  const isLost = entry.kind === 'commit' || error.code === 'mls-wrong-epoch' || isForkOfTwo(core, live, error)
  live.isBroken ||= isLost
  write(database => {
    // Who missed something would carry on a group that is no more, and the others would not follow.
    const isStale = error.code === 'mls-wrong-epoch' || error.code === 'mls-own-message'
    const afterMs = isStale ? clientLimits.restartStaleAfterMs : 0
    if (isLost) endGroup(database, live.id, { nowMs: core.passed.nowMs() + afterMs })
    const chat = shownChat(database, live)
    if (!chat)
      return core.log.debug({ kind: 'undecryptable', group: live.id, reason: 'the chat is not in use' }, 'passed over')
    const notice: Notice = { code: 'undecryptable', from: personOf(database, entry.sender) }
    tellNotice(core, database, { chat: chat.id, notice, ts: entry.ts })
    if (chat.type === 'group' && error.code === 'mls-undecryptable') askSender(core, database, { entry, live })
  }, live)
  if (!isLost) return
  core.poke()
  core.rearm()
}

/** It may be a spoilt message, or of somebody who was shown another history: between two, only new keys can tell. */
const isForkOfTwo = (core: Pick<Core, 'store'>, live: LiveGroup, { code }: MlsError): boolean =>
  code === 'mls-undecryptable' && findChat(core.store, live.chat)?.type === 'private'

/** Whom the relay names may not be the one who wrote it; any other member would do as well. */
function askSender(
  core: Pick<Core, 'own' | 'poke'>,
  database: Database,
  { entry, live }: { entry: Entry; live: LiveGroup },
): void {
  if (isMember(database, live.chat, entry.sender))
    questionMark(core, database, { group: live.id, epoch: epochOf(live), account: entry.sender, trouble: true })
}

function shownChat(database: Database, live: LiveGroup): ChatRow | undefined {
  const chat = findChat(database, live.chat)
  return isInUse(chat) ? chat : undefined
}

type WelcomeRefused = { entry: Entry; write: WriteEntry; error: RefusedWelcome }

/** Told where it was aimed at a chat of ours: a stranger's attempt, or a member's that is not what it should be. */
export function refuseWelcome(
  core: Pick<Core, 'passed' | 'log' | 'poke' | 'rearm'>,
  { entry, write, error }: WelcomeRefused,
): void {
  const { rule, invitation } = error
  core.log.warn({ rule, group: entry.group, inviter: invitation.inviter }, 'a welcome was refused')
  write(database => {
    const known = findGroup(database, entry.group)
    const chat = findChat(database, known?.chat_id ?? invitation.chat)
    // An admin may tell what a member may not: asked once more, and they alone.
    if (chat && (rule === 'not-an-admin' || rule === 'not-an-admin-to-name')) wantAdmin(core, database, chat.group_id)
    // What leads back is a replay, or crossed what we did ourselves: there is nothing to tell.
    if (rule === 'not-newer' || !isInUse(chat)) return
    const isByMember = isMember(database, chat.id, invitation.inviter)
    if (!known && !isByMember) return
    if (isByMember) noteRefusedGroup(core, database, { chat: chat.id, generation: invitation.generation })
    const notice: Notice = { code: 'refused', from: personOf(database, invitation.inviter), text: error.message }
    warn(core, database, { chat, notice, ts: entry.ts })
  })
  core.rearm()
}

/** Welcomes cost whoever sends them nothing: a flood of them must not drown what people are told besides. */
function warn(
  core: Pick<Core, 'passed'>,
  database: Database,
  { chat, notice, ts }: { chat: ChatRow; notice: Notice; ts: number },
): void {
  const nowMs = core.passed.nowMs()
  if (nowMs - chat.warned_ms < clientLimits.warnEveryMs) return
  noteWarned(database, chat.id, nowMs)
  tellNotice(core, database, { chat: chat.id, notice, ts })
}
