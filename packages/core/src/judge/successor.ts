// The group that carries a chat on when its own cannot: computed alike by everybody from what was true before.
import type { AccountId, ChatId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import type { Picture } from './judge-commit.ts'

export type GroupChatSettings = Extract<GroupSettings, { type: 'group' }>

export type GroupPlace = NonNullable<GroupChatSettings['continues']>

/** What people are shown of a chat, and whose deed ended its group. */
export type EndedGroup = Omit<Picture, 'settings'> & {
  chat: ChatId
  settings: GroupChatSettings
  /** The group and how far this account has read it. Undefined where nothing is known of it. */
  place: GroupPlace | undefined
  /** Whose commit the others refused. Undefined where nobody can be proved to have ended it. */
  offender: AccountId | undefined
}

export type Successor = { settings: GroupChatSettings; members: AccountId[] }

/** Title, timer and admins stay; out are who did it and who had left; a group without an admin has its first member as one. */
export function successorOf(ended: EndedGroup): Successor {
  const { chat, settings, offender, place } = ended
  const members = ended.members.filter(account => account !== offender && !ended.leaving.includes(account)).toSorted()
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

/** Who carries it on first: the admins, then the others. Undefined for who is not to be in it. */
export function turnOf(ended: EndedGroup, account: AccountId): number | undefined {
  const { settings, members } = successorOf(ended)
  const admins = settings.admins.filter(admin => members.includes(admin)).toSorted()
  const order = [...admins, ...members.filter(member => !admins.includes(member))]
  const turn = order.indexOf(account)
  return turn < 0 ? undefined : turn
}
