// The last check before anything is encrypted: compares the keys with the people who are shown in the chat.
import type { Notice } from '@postern/bot-api/events'
import { memberAccounts } from '@postern/mls'
import { type ChatId, CodedError } from '@postern/protocol'
import { emitNotice } from '../chats/notices.ts'
import { type ChatRow, findChat, membersOf } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { endGroup } from '../groups/group-records.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { judgeSending } from '../judge/judge-sending.ts'
import type { Verdict } from '../judge/verdict.ts'
import { presentMs } from '../messages/age.ts'

type GuardContext = Pick<Core, 'store' | 'groups' | 'clock' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'>

/**
 * Runs in the group's lane. Throws `chat-healing` when they differ:
 * nothing is encrypted, a notice is emitted, and the chat heals.
 */
export async function assertKeysMatchMembers(core: GuardContext, live: LiveGroup, chat: ChatId): Promise<void> {
  if (verdictOf(core, live, chat).kind === 'follow') return
  // A commit that was just read is in force before its members are written.
  await core.store.caughtUp()
  const verdict = verdictOf(core, live, chat)
  if (verdict.kind === 'follow') return
  // A notice was emitted before: each waiting message would repeat it, and wake the chores without end.
  if (live.isBroken) throw new CodedError('chat-healing')
  core.log.error({ group: live.id, chat, rule: verdict.rule }, 'chat keys do not match its members')
  live.isBroken = true
  await core.groups.save(live, database => {
    endGroup(database, live.id, { nowMs: core.elapsed.nowMs() })
    const notice: Notice = { code: 'mismatch', text: verdict.why }
    emitNotice(core, database, { chat, notice, ts: presentMs(core) })
  })
  core.wakeChores()
  core.rescheduleTimers()
  throw new CodedError('chat-healing')
}

function verdictOf({ store }: Pick<Core, 'store'>, live: LiveGroup, id: ChatId): Verdict {
  const chat = findChat(store, id)
  if (!chat) throw new CodedError('chat-not-found', { chat: id })
  const same = { tree: live.session.state.ratchetTree, rosterVersion: chat.roster_version }
  const isCompared = live.compared?.tree === same.tree && live.compared.rosterVersion === same.rosterVersion
  // Comparing a thousand members with every message would cost more than the encryption.
  if (isCompared && live.chat === id) return { kind: 'follow' }
  const verdict = judgeSending(keysOf(live), shownOf(store, chat))
  if (verdict.kind === 'follow') live.compared = same
  return verdict
}

const keysOf = (live: LiveGroup) => ({ chat: live.chat, members: memberAccounts(live.session) })

const shownOf = (store: Core['store'], { id, type }: ChatRow) => ({
  chat: id,
  type,
  members: membersOf(store, id).map(member => member.account_id),
})
