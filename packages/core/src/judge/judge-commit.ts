// Judges whether a commit may do what it does, by the settings and members before it.
// All readers come to the same verdict.
import { type AccountId, contentLimits } from '@postern/protocol'
import type { GroupSettings } from '@postern/protocol/content'
import { judgeBy, refuse, sameAccounts, type Verdict } from './verdict.ts'

/** The state of a group before the commit. */
export type Picture = {
  settings: GroupSettings
  members: readonly AccountId[]
  /** Members that have said farewell: any member may remove them. */
  leaving: readonly AccountId[]
}

/** The changes of the commit. Its signature proves the committer. */
export type Deed = {
  committer: AccountId
  added: readonly AccountId[]
  /** Members that the same commit removes and adds again are in both lists. */
  removed: readonly AccountId[]
  /** The settings after it. Undefined if our clients write no such settings. */
  settings: GroupSettings | undefined
}

export function judgeCommit(before: Picture, deed: Deed): Verdict {
  const { settings } = deed
  if (!settings) return refuse('unreadable-settings')
  if (settings.type !== before.settings.type) return refuse('other-type')
  if (settings.type === 'private' || before.settings.type === 'private') return judgePrivate(before, deed, settings)
  const wasAdmin = before.settings.admins.includes(deed.committer)
  const gone = deed.removed.filter(account => !deed.added.includes(account) && !before.leaving.includes(account))
  const namesAdmins = !sameAccounts(settings.admins, before.settings.admins)
  const { chat, generation, maker } = before.settings
  return judgeBy(
    [settings.chat !== chat || settings.generation !== generation, 'fixed-setting'],
    // A client that does not know the setting leaves it out.
    [settings.maker !== undefined && settings.maker !== maker, 'fixed-setting'],
    [gone.length > 0 && !wasAdmin, 'not-an-admin'],
    [namesAdmins && !wasAdmin, 'not-an-admin-to-name'],
    [membersAfter(before, deed) > contentLimits.groupMembersMax, 'too-many'],
  )
}

/** New keys and the timer: nothing else ever changes in a private chat. */
function judgePrivate(before: Picture, deed: Deed, settings: GroupSettings): Verdict {
  return judgeBy(
    [deed.added.length > 0 || deed.removed.length > 0, 'private-members'],
    [settings.generation !== before.settings.generation, 'fixed-setting'],
  )
}

const membersAfter = ({ members }: Picture, { added, removed }: Deed): number =>
  new Set([...members.filter(account => !removed.includes(account)), ...added]).size
