// Whether a welcome is followed: a stranger's into a chat of its own, and nobody's into one that is ours but by its rules.
import { type AccountId, type ChatId, contentLimits, type GroupId } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { judgeCommit, type Picture } from './judge-commit.ts'
import { type EndedGroup, type GroupChatSettings, successorOf } from './successor.ts'
import { follow, judgeBy, refuse, sameAccounts, type Verdict } from './verdict.ts'

export type Invitation = {
  own: AccountId
  group: GroupId
  epoch: number
  chat: ChatId
  settings: GroupSettings
  /** Everybody in the group, this account included. */
  members: readonly AccountId[]
  /** Proved by the signature of the welcome. */
  inviter: AccountId
  /** Who put it into the mailbox, by the relay's word. */
  sender: AccountId
  /** What is known here of the device that signed it. */
  device: 'current' | 'revoked' | 'expired'
}

/** The keys are good; or lost, out of step or taken from us; or of no use since a commit that we refused. */
export type KeyState = 'whole' | 'lost' | 'dead'

export type KnownGroup = { chat: ChatId; generation: number; epoch: number; standing: KeyState }

export type KnownChat = {
  type: GroupSettings['type']
  state: 'active' | 'request' | 'left'
  /** The group in which one writes now. */
  group: { id: GroupId; standing: KeyState }
  /** As people are shown it; of private chats it is not asked. */
  ended: EndedGroup | undefined
}

export type KnownFacts = { group: KnownGroup | undefined; chat: KnownChat | undefined }

export function judgeWelcome(invitation: Invitation, known: KnownFacts): Verdict {
  const { settings, chat, inviter, sender, device } = invitation
  // First of all: by copied keys nobody may be blamed, and nothing healed.
  if (sender !== inviter) return refuse('other-sender')
  if (device !== 'current') return refuse(`${device}-device`)
  if (known.group && known.group.chat !== chat) return refuse('other-chat')
  if (known.chat && known.chat.type !== settings.type) return refuse('other-type')
  if (settings.type === 'private') return judgePrivate(invitation, known)
  const isFirst = settings.generation === 0
  if (isFirst !== (settings.chat === undefined)) return refuse('no-chat')
  // A chat that is not known here: its opener is a stranger like any other, and waits to be let in.
  if (!known.chat?.ended) return known.group ? refuse('other-chat') : follow
  if (!known.chat.ended.members.includes(invitation.inviter)) return refuse('unknown-inviter')
  const { ended } = known.chat
  const way = known.group
    ? judgeReturn(invitation, known.group, known.chat)
    : judgeSuccessor(settings, invitation, ended)
  // Who is out waits to be let in again, as with a stranger's chat: what became of it meanwhile was not theirs to see.
  if (way.kind === 'refuse' || known.chat.state === 'left') return way
  return judgeChange(settings, invitation, known.group ? ended : pictureOf(ended))
}

/** A private chat heals by another group of the same two; into one that is known nobody is ever added again. */
function judgePrivate({ own, inviter, members, chat }: Invitation, { group }: KnownFacts): Verdict {
  const isOfTheTwo = sameAccounts(members, [own, inviter]) && inviter !== own && (chat as string) === inviter
  return judgeBy([!isOfTheTwo, 'not-the-two'], [group !== undefined, 'not-needed'])
}

/**
 * Into the same group once more: only when it can be meant for us. Its number never changes: an account that followed a member
 * to a higher one, by a commit that the others have refused, would refuse the group in which they continue.
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
 * Another group for the chat. One far ahead would leave no number for those that may have to follow it. An admin who could
 * not read the deed keeps who did it, and may: refused, the honest would go on in two groups for good.
 */
function judgeSuccessor(
  { generation }: GroupChatSettings,
  { members, inviter }: Invitation,
  ended: EndedGroup,
): Verdict {
  const { generation: before, admins } = ended.settings
  const isAdminsWord = inviter !== ended.offender && admins.includes(inviter)
  return judgeBy(
    [generation < before || generation === 0, 'not-newer'],
    [generation > before + contentLimits.generationStepMax, 'too-far'],
    [ended.offender !== undefined && members.includes(ended.offender) && !isAdminsWord, 'other-members'],
  )
}

/**
 * As far as its maker might have gone by a commit. Whose keys are lost cannot know what came after, but anybody can make
 * the others lose theirs: what only an admin may do is believed only of an admin of the last known roster.
 */
function judgeChange(
  settings: GroupChatSettings,
  { members, inviter }: Invitation,
  before: Picture & { settings: GroupChatSettings },
): Verdict {
  // An admin who has gone is none any more, and stays on the list of those who could not change it.
  const present = (admins: readonly AccountId[]) => admins.filter(admin => members.includes(admin))
  const was = { ...before, settings: { ...before.settings, admins: present(before.settings.admins) } }
  const deed = {
    committer: inviter,
    added: members.filter(account => !before.members.includes(account)),
    removed: before.members.filter(account => !members.includes(account)),
    // Which chat it carries on was asked before, and that it is a later one.
    settings: { ...was.settings, title: settings.title, timerMs: settings.timerMs, admins: present(settings.admins) },
  }
  return judgeCommit(was, deed)
}

/** What was true before: who ended the group and who had left are as good as gone, and the first may be an admin then. */
function pictureOf(ended: EndedGroup): Picture & { settings: GroupChatSettings } {
  const { settings, members } = successorOf(ended)
  return { settings, members, leaving: [] }
}
