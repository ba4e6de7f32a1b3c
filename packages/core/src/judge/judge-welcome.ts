// Judges whether a welcome is followed.
// A stranger's leads into a separate chat; one into a known chat must keep the chat's rules.
import { type AccountId, type ChatId, contentLimits, type GroupId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { judgeCommit, type Picture } from './judge-commit.ts'
import { type EndedGroup, type GroupChatSettings, successorOf } from './successor.ts'
import { follow, judgeBy, refuse, sameAccounts, type Verdict } from './verdict.ts'

/** The epoch into which the first commit of a group leads. */
export const FIRST_EPOCH = 1

export type Invitation = {
  own: AccountId
  group: GroupId
  epoch: number
  chat: ChatId
  settings: GroupSettings
  /** Everyone in the group, including this account. */
  members: readonly AccountId[]
  /** Proved by the signature of the welcome. */
  inviter: AccountId
  /** The account that put it into the mailbox, according to the relay. */
  sender: AccountId
  /** The state of the signing device, as known here. */
  device: 'current' | 'revoked' | 'expired'
}

/**
 * `whole`: the keys work. `lost`: they are lost, out of step or taken from us. `dead`: they are of no use since a
 * commit that we refused.
 */
export type KeyState = 'whole' | 'lost' | 'dead'

export type KnownGroup = { chat: ChatId; generation: number; epoch: number; standing: KeyState }

export type KnownChat = {
  type: GroupSettings['type']
  state: 'active' | 'request' | 'left'
  /** The group in which messages are sent now. */
  group: { id: GroupId; standing: KeyState }
  /** As the chat is shown. Not used for private chats. */
  ended: EndedGroup | undefined
}

export type KnownFacts = { group: KnownGroup | undefined; chat: KnownChat | undefined }

export function judgeWelcome(invitation: Invitation, known: KnownFacts): Verdict {
  const { settings, chat, inviter, sender, device } = invitation
  // First of all: with copied keys, nobody may be blamed and nothing healed.
  if (sender !== inviter) return refuse('other-sender')
  if (device !== 'current') return refuse(`${device}-device`)
  if (known.group && known.group.chat !== chat) return refuse('other-chat')
  if (known.chat && known.chat.type !== settings.type) return refuse('other-type')
  if (settings.type === 'private') return judgePrivate(invitation, known)
  const isFirst = settings.generation === 0
  if (isFirst !== (settings.chat === undefined)) return refuse('no-chat')
  // A chat that is not known here: its opener is a stranger like any other, and waits to be accepted.
  if (!known.chat?.ended) return known.group ? refuse('other-chat') : follow
  if (!known.chat.ended.members.includes(invitation.inviter)) return refuse('unknown-inviter')
  const { ended } = known.chat
  const way = known.group
    ? judgeReturn(invitation, known.group, known.chat)
    : judgeSuccessor(settings, invitation, ended)
  // An account that is out waits to be accepted again,
  // as with a stranger's chat: it may not see what changed meanwhile.
  if (way.kind === 'refuse' || known.chat.state === 'left') return way
  return judgeChange(settings, invitation, known.group ? ended : pictureOf(ended))
}

/** A private chat heals by another group of the same two people. Nobody is ever added again to a known one. */
function judgePrivate({ own, inviter, members, chat }: Invitation, { group }: KnownFacts): Verdict {
  const isOfTheTwo = sameAccounts(members, [own, inviter]) && inviter !== own && (chat as string) === inviter
  return judgeBy([!isOfTheTwo, 'not-the-two'], [group !== undefined, 'not-needed'])
}

/**
 * Into the same group once more: only when this account needs it. The generation never changes: an account that
 * followed a member to a higher one, by a commit that the others have refused, would refuse the group in which they
 * continue.
 */
function judgeReturn({ epoch, settings }: Invitation, group: KnownGroup, chat: KnownChat): Verdict {
  const isOut = group.standing === 'lost' || chat.state === 'left'
  return judgeBy(
    [epoch <= group.epoch, 'not-newer'],
    [!isOut, 'not-needed'],
    [settings.generation !== group.generation, 'fixed-setting'],
  )
}

/**
 * Another group for the chat. One far ahead would leave no number for later successors. An admin that could not read
 * the offence keeps the offender, and may: if that were refused, the honest members would continue in two groups
 * permanently.
 */
function judgeSuccessor(
  { generation, maker }: GroupChatSettings,
  { members, inviter, epoch }: Invitation,
  ended: EndedGroup,
): Verdict {
  const { generation: before, admins } = ended.settings
  const isAdminsWord = admins.includes(inviter) && !ended.offenders.includes(inviter)
  return judgeBy(
    [generation < before || generation === 0, 'not-newer'],
    [generation > before + contentLimits.generationStepMax, 'too-far'],
    [epoch === FIRST_EPOCH && maker !== undefined && maker !== inviter, 'other-maker'],
    [ended.offenders.some(offender => members.includes(offender)) && !isAdminsWord, 'other-members'],
  )
}

/**
 * Allows as much as the maker could have done by a commit. An account that lost its keys cannot know later changes, but
 * any member can make others lose theirs. So what only an admin may do is believed only from an admin of the last known
 * roster.
 */
function judgeChange(
  settings: GroupChatSettings,
  { members, inviter }: Invitation,
  before: Picture & { settings: GroupChatSettings },
): Verdict {
  // An admin who has left is no admin any more, but stays on the list if nobody could change it.
  const present = (admins: readonly AccountId[]) => admins.filter(admin => members.includes(admin))
  const was = { ...before, settings: { ...before.settings, admins: present(before.settings.admins) } }
  const deed = {
    committer: inviter,
    added: members.filter(account => !before.members.includes(account)),
    removed: before.members.filter(account => !members.includes(account)),
    // The chat that it carries on, and its generation, were checked before.
    settings: { ...was.settings, title: settings.title, timerMs: settings.timerMs, admins: present(settings.admins) },
  }
  return judgeCommit(was, deed)
}

/** The state before: the offenders and the leavers count as gone, so the first member may become an admin. */
function pictureOf(ended: EndedGroup): Picture & { settings: GroupChatSettings } {
  const { settings, members } = successorOf(ended)
  return { settings, members, leaving: [] }
}
