// Groups in which others speak as they did before a restore of the relay:
// the client asks the relay for the epoch of each.
import type { Notice } from '@postern/bot-api/events'
import { type ChatId, type Deadline, type GroupId, isCoded } from '@postern/protocol'
import type { MailboxEntry } from '@postern/protocol/relay'
import { emitNotice } from '../chats/notices.ts'
import { findChat, isInUse } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import { findGroup } from '../groups/group-records.ts'
import { assertNotBehind, assertNotForgotten } from '../groups/relay-behind.ts'
import { personOf } from '../identity/people.ts'

/**
 * An entry uses keys that are past here. It may be a repetition, but not if the relay and the others were restored.
 * Then a member that only listens would receive nothing more, and nobody would notice.
 */
export function doubtRelay(
  core: Pick<Core, 'own' | 'store' | 'relayDoubts' | 'wakeChores'>,
  chat: ChatId,
  { sender: speaker, ts }: MailboxEntry,
): void {
  const group = findChat(core.store, chat)?.group_id
  if (!group || speaker === core.own.id) return
  core.relayDoubts.set(group, { speaker, ts })
  core.wakeChores()
}

/** Asks once for all entries so far. If the relay is behind, the group ends and the chat heals. */
export async function settleDoubt(core: Core, group: GroupId, deadline: Deadline): Promise<void> {
  const doubt = core.relayDoubts.get(group)
  core.relayDoubts.delete(group)
  const row = findGroup(core.store, group)
  const chat = row && findChat(core.store, row.chat_id)
  if (!doubt || row?.status !== 'open' || !isInUse(chat)) return
  try {
    await compareEpochs(core, { group, known: row.epoch }, deadline)
  } catch (error) {
    if (!isCoded(error, 'chat-healing')) throw error
    await core.store.write(database => {
      const notice: Notice = { code: 'undecryptable', from: personOf(database, doubt.speaker) }
      emitNotice(core, database, { chat: chat.id, notice, ts: doubt.ts })
    })
  }
}

type KnownEpoch = { group: GroupId; known: number }

async function compareEpochs(core: Core, { group, known }: KnownEpoch, deadline: Deadline): Promise<void> {
  try {
    const { epoch: atRelay } = await core.link.call('getGroup', { group }, deadline.leftMs())
    await assertNotBehind(core, group, { known, atRelay })
  } catch (error) {
    if (!isCoded(error, 'group-unknown')) throw error
    await assertNotForgotten(core, group, deadline)
  }
}
