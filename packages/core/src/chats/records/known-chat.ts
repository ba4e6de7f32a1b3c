// What this account knows of a chat and of its groups, as the judge asks for it: from the records that people are shown.
import type { ChatId, GroupId } from '@postern/protocol'
import { findGroup, type StoredGroup } from '../../groups/group-records.ts'
import type { KeyState, KnownChat, KnownFacts } from '../../judge/judge-welcome.ts'
import type { EndedGroup } from '../../judge/successor.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { type ChatRow, findChat, membersOf } from './chats.ts'

type Reads = Pick<Store, 'get' | 'all'>

export function whatIsKnown(reads: Reads, { group, chat }: { group: GroupId; chat: ChatId }): KnownFacts {
  const groupRow = findGroup(reads, group)
  const chatRow = findChat(reads, chat)
  return {
    group: groupRow && {
      chat: groupRow.chat_id,
      generation: groupRow.generation,
      epoch: groupRow.epoch,
      standing: standingOf(groupRow),
    },
    chat: chatRow && knownChat(reads, chatRow),
  }
}

function knownChat(reads: Reads, row: ChatRow): KnownChat {
  const group = findGroup(reads, row.group_id)
  return {
    type: row.type,
    state: row.state,
    group: { id: row.group_id, standing: standingOf(group) },
    ended: endedOf(reads, row),
  }
}

const standingOf = (group: StoredGroup | undefined): KeyState => {
  if (!group) return 'lost'
  if (group.status !== 'broken') return 'whole'
  return group.offender ? 'dead' : 'lost'
}

/** A group chat as it stood when its group ended, or stands now. Undefined for private chats: those heal by themselves. */
export function endedOf(reads: Reads, row: ChatRow): EndedGroup | undefined {
  if (row.type !== 'group') return undefined
  const group = findGroup(reads, row.group_id)
  const members = membersOf(reads, row.id)
  const generation = group?.generation ?? 0
  return {
    chat: row.id,
    settings: {
      v: 1,
      type: 'group',
      title: row.title,
      timerMs: row.timer_ms,
      admins: members.filter(member => member.admin).map(member => member.account_id),
      generation,
      ...(generation > 0 && { chat: row.id }),
    },
    members: members.map(member => member.account_id),
    leaving: members.filter(member => member.leaving).map(member => member.account_id),
    place: group && { group: group.id, generation, epoch: group.epoch },
    offender: group?.offender ?? undefined,
  }
}
