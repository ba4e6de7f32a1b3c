// Makes members of a group admins, and takes it back. One admin always stays.
import { type GroupSession, memberAccounts } from '@postern/mls'
import { type AccountId, type ChatId, CodedError, type Deadline } from '@postern/protocol'
import type { Core } from '../../context.ts'
import type { CommitContext, CommitPlanner } from '../../groups/commit-group.ts'
import { agreedSettings } from '../keys/agreed-settings.ts'
import { leaversOf } from '../records/farewells.ts'
import { commitToChat, writableGroup } from './change-members.ts'

export type MemberRole = 'admin' | 'member'

type NewRole = { account: AccountId; role: MemberRole; deadline: Deadline }

export async function setAdmin(
  core: CommitContext & Pick<Core, 'own'>,
  chat: ChatId,
  { account, role, deadline }: NewRole,
): Promise<void> {
  writableGroup(core, chat)
  // Checked again for each epoch: if two admins dismiss each other at the same moment, one must stay.
  const intent: CommitPlanner = session => {
    const settings = agreedSettings(session)
    if (settings.type !== 'group') return 'satisfied'
    const before = presentAdmins(core, chat, session)
    if (!before.includes(core.own.id)) throw new CodedError('not-an-admin')
    if (!memberAccounts(session).includes(account)) throw new CodedError('not-a-member', { account })
    if (before.includes(account) === (role === 'admin')) return 'satisfied'
    const admins = role === 'admin' ? [...before, account] : before.filter(admin => admin !== account)
    if (admins.length === 0) throw new CodedError('last-admin')
    return { settings: { ...settings, admins } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

/** A member who has left, or is about to, is no admin any more. If it stayed on the list, it would come back as one. */
function presentAdmins({ store }: CommitContext, chat: ChatId, session: GroupSession): AccountId[] {
  const settings = agreedSettings(session)
  const leavers = leaversOf(store, chat)
  const present = new Set(memberAccounts(session).filter(account => !leavers.includes(account)))
  return settings.type === 'group' ? settings.admins.filter(account => present.has(account)) : []
}
