// What could not be read or may not be followed: never silent, and where the keys are at their end, the chat heals.
import type { Notice } from '@postern/bot-api/objects'
import type { MlsError } from '@postern/mls'
import { clientLimits, type MessageId } from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import { type ChatRow, findChat, membersOf } from '../chats/chats.ts'
import type { RefusedWelcome } from '../chats/refused-welcome.ts'
import { noteRefusedGroup } from '../chats/restart-group.ts'
import type { Core } from '../context.ts'
import { endGroup, findGroup } from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { questionMark } from '../messages/compare-marks.ts'
import type { Database } from '../storage/database.ts'
import { wantAdmin } from './heal-chats.ts'
import type { Record } from './record.ts'
import { refuseCommit } from './take-commit.ts'

type Refused = { entry: Entry; id: MessageId; record: Record; error: MlsError }

/** An unreadable message becomes a notice; after a commit that cannot be followed the group is replaced. */
export function refuseEntry(core: Core, live: LiveGroup, { entry, id, record, error }: Refused): void {
  if (error.code === 'mls-forbidden' && error.committer && entry.kind === 'commit')
    return refuseCommit(core, live, { record, offender: error.committer, why: error.message })
  core.log.warn({ code: error.code, group: live.id, kind: entry.kind }, 'an entry could not be read')
  const isRepeat = core.store.get('SELECT 1 FROM message WHERE id = ?', id) !== undefined
  // Our own commit without its keys is no harmless echo: this database is older than the group.
  const isEcho = error.code === 'mls-own-message' && entry.kind !== 'commit'
  if (isRepeat || isEcho) return record(() => {})
  const isLost = entry.kind === 'commit' || error.code === 'mls-wrong-epoch' || isForkOfTwo(core, live, error)
  live.isBroken ||= isLost
  record(database => {
    // Who missed something would carry on a group that is no more, and the others would not follow.
    const isStale = error.code === 'mls-wrong-epoch' || error.code === 'mls-own-message'
    const afterMs = isStale ? clientLimits.restartStaleAfterMs : 0
    if (isLost) endGroup(database, live.id, { nowMs: core.passed.nowMs() + afterMs })
    const chat = shownChat(database, live)
    if (!chat) return
    const notice = { code: 'undecryptable' as const, from: personOf(database, entry.sender) }
    appendEvent(core, database, { type: 'notice', chat_id: chat.id, notice })
    if (chat.type === 'group' && error.code === 'mls-undecryptable') askSender(core, database, { entry, live })
  }, live)
  if (!isLost) return
  core.poke()
  core.rearm()
}

/** It may be a spoilt message, or of somebody who was shown another history: between two, only new keys can tell. */
const isForkOfTwo = (core: Core, live: LiveGroup, { code }: MlsError): boolean =>
  code === 'mls-undecryptable' && findChat(core.store, live.chat)?.type === 'private'

/** Whom the relay names may not be the one who wrote it; any other member would do as well. */
function askSender(core: Core, database: Database, { entry, live }: { entry: Entry; live: LiveGroup }): void {
  const isMember = membersOf(database, live.chat).some(member => member.account_id === entry.sender)
  if (isMember)
    questionMark(core, database, { group: live.id, epoch: epochOf(live), account: entry.sender, trouble: true })
}

function shownChat(database: Database, live: LiveGroup): ChatRow | undefined {
  const chat = findChat(database, live.chat)
  return chat?.visible === 1 && chat.state === 'active' ? chat : undefined
}

type WelcomeRefused = { entry: Entry; record: Record; error: RefusedWelcome }

/** Told where it was aimed at a chat of ours: a stranger's attempt, or a member's that is not what it should be. */
export function refuseWelcome(core: Core, { entry, record, error }: WelcomeRefused): void {
  const { rule, invitation } = error
  core.log.warn({ rule, group: entry.group, inviter: invitation.inviter }, 'a welcome was refused')
  record(database => {
    const known = findGroup(database, entry.group)
    const chat = findChat(database, known?.chat_id ?? invitation.chat)
    // An admin may tell what a member may not: asked once more, and they alone.
    if (chat && (rule === 'not-an-admin' || rule === 'not-an-admin-to-name')) wantAdmin(core, database, chat.group_id)
    // What leads back is a replay, or crossed what we did ourselves: there is nothing to tell.
    if (rule === 'not-newer' || chat?.visible !== 1 || chat.state !== 'active') return
    const isMember = membersOf(database, chat.id).some(member => member.account_id === invitation.inviter)
    if (!known && !isMember) return
    if (isMember) noteRefusedGroup(core, database, { chat: chat.id, generation: invitation.generation })
    const notice = { code: 'refused' as const, from: personOf(database, invitation.inviter), text: error.message }
    warn(core, database, { chat, notice })
  })
  core.rearm()
}

/** Welcomes cost whoever sends them nothing: a flood of them must not drown what people are told besides. */
function warn(core: Core, database: Database, { chat, notice }: { chat: ChatRow; notice: Notice }): void {
  const nowMs = core.passed.nowMs()
  if (nowMs - chat.warned_ms < clientLimits.warnEveryMs) return
  database.run('UPDATE chat SET warned_ms = ? WHERE id = ?', nowMs, chat.id)
  appendEvent(core, database, { type: 'notice', chat_id: chat.id, notice })
}
