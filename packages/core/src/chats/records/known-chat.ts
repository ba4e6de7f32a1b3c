// The knowledge of a chat and its groups that the judge needs, read from the records that are shown.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import { findGroup, offendersIn, offendersOf, type StoredGroup } from '../../groups/group-records.ts'
import type { KeyState, KnownChat, KnownFacts } from '../../judge/judge-welcome.ts'
import type { EndedGroup } from '../../judge/successor.ts'
import type { Store } from '../../storage/transactions/store.ts'
import { knownPicture } from './chat-pictures.ts'
import { type ChatRow, findChat, isMember, membersOf } from './chats.ts'

type Reads = Pick<Store, 'get' | 'all'>

export function whatIsKnown(reads: Reads, { group, chat }: { group: GroupId; chat: ChatId }): KnownFacts {
  const groupRow = findGroup(reads, group)
  const chatRow = findChat(reads, chat)
  return {
    group: groupRow && {
      chat: groupRow.chat_id,
      generation: groupRow.generation,
      epoch: groupRow.epoch,
      standing: standingOf(reads, groupRow),
    },
    chat: chatRow && knownChat(reads, chatRow),
  }
}

function knownChat(reads: Reads, row: ChatRow): KnownChat {
  const group = findGroup(reads, row.group_id)
  return {
    type: row.type,
    state: row.state,
    group: { id: row.group_id, standing: standingOf(reads, group) },
    ended: endedOf(reads, row),
  }
}

/**
 * Members of a new group for the chat who are proved to have broken the rules, and whom its maker has not left out: it
 * may not have read the offence. Somebody who was added again after it counts like any other member. Called before the
 * members are replaced.
 */
export function broughtBack(
  reads: Reads,
  { id: chat, group_id: inForce }: Pick<ChatRow, 'id' | 'group_id'>,
  accounts: readonly AccountId[],
): AccountId[] {
  const proved = offendersIn(reads, chat).filter(account => accounts.includes(account))
  const out = offendersOf(reads, inForce)
  return proved.filter(account => out.includes(account) || !isMember(reads, chat, account))
}

const standingOf = (reads: Reads, group: StoredGroup | undefined): KeyState => {
  if (!group) return 'lost'
  if (group.status !== 'broken') return 'whole'
  return offendersOf(reads, group.id).length > 0 ? 'dead' : 'lost'
}

/**
 * The state of a group chat when its group ended, or its current state.
 * Undefined for private chats, which heal without this.
 */
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
      picture: knownPicture(reads, row.id),
      admins: members.filter(member => member.admin).map(member => member.account_id),
      generation,
      ...(generation > 0 && { chat: row.id }),
    },
    members: members.map(member => member.account_id),
    leaving: members.filter(member => member.leaving).map(member => member.account_id),
    place: group && { group: group.id, generation, epoch: group.epoch },
    offenders: group ? offendersOf(reads, group.id) : [],
  }
}
