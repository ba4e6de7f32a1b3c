// The group that carries a chat on when its own cannot. All members compute the same one from the state before.
import type { AccountId, ChatId, GroupId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import type { Picture } from './judge-commit.ts'

export type GroupChatSettings = Extract<GroupSettings, { type: 'group' }>

export type GroupPlace = NonNullable<GroupChatSettings['continues']>

/** The chat as it is shown, and the accounts that ended its group. */
export type EndedGroup = Omit<Picture, 'settings'> & {
  chat: ChatId
  settings: GroupChatSettings
  /** The group, and how far this account has read it. Undefined if nothing is known of it. */
  place: GroupPlace | undefined
  /** The accounts whose commits were refused. Empty if nobody is proved to have ended it. */
  offenders: readonly AccountId[]
}

export type Successor = { settings: GroupChatSettings; members: AccountId[] }

/**
 * Title, timer, picture and admins stay. The offenders and the leavers are out. Without an admin, the first member becomes one.
 */
export function successorOf(ended: EndedGroup): Successor {
  const { chat, settings, offenders, leaving, place } = ended
  const members = ended.members.filter(account => !offenders.includes(account) && !leaving.includes(account)).toSorted()
  const admins = settings.admins.filter(account => members.includes(account))
  const [first] = members
  return {
    members,
    settings: {
      ...settings,
      chat,
      generation: settings.generation + 1,
      admins: admins.length === 0 && first ? [first] : admins,
      ...(place && { continues: place }),
    },
  }
}

/** The order in which members carry it on: the admins, then the others. Undefined for an account that is not in it. */
export function turnOf(ended: EndedGroup, account: AccountId): number | undefined {
  const { settings, members } = successorOf(ended)
  const admins = settings.admins.filter(admin => members.includes(admin)).toSorted()
  const order = [...admins, ...members.filter(member => !admins.includes(member))]
  const turn = order.indexOf(account)
  return turn < 0 ? undefined : turn
}

type Candidate = { id: GroupId; generation: number; byAdmin: boolean }

/**
 * All members choose alike between two groups for one chat: the higher generation, then an admin's group,
 * which all follow, then the lower id. A broken group loses.
 */
export function supersedes(candidate: Candidate, current: Candidate & { status: string }): boolean {
  if (candidate.generation !== current.generation) return candidate.generation > current.generation
  if (current.status === 'broken') return true
  return candidate.byAdmin === current.byAdmin ? candidate.id < current.id : candidate.byAdmin
}
