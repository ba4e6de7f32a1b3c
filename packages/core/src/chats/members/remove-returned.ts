// Removes members that an admin had removed, and whom a member that missed it has carried on with.
// An admin that has read the removal does this, before it sends the next message.
import { type GroupSession, leafOf, rosterOf } from '@postern/mls'
import type { AccountId, ChatId, Deadline, GroupId } from '@postern/protocol'
import type { Core } from '../../context.ts'
import { type CommitContext, commitToGroup } from '../../groups/commit-group.ts'
import { agreedSettings } from '../keys/agreed-settings.ts'
import { isAdmin } from '../records/chats.ts'
import { returnedTo } from '../records/removals.ts'

type Removing = CommitContext & Pick<Core, 'own'>

export async function removeReturned(
  core: Removing,
  { chat, group }: { chat: ChatId; group: GroupId },
  deadline: Deadline,
): Promise<void> {
  if (!isAdmin(core.store, chat, core.own.id) || returnedTo(core.store, chat).length === 0) return
  await commitToGroup(core, group, {
    intent: session => {
      const remove = returnedIn(core, chat, session)
      return remove.length > 0 ? { remove } : 'satisfied'
    },
    deadline,
  })
}

/** Empty if this account is no admin: the others would treat the removal as an offence. */
export function returnedIn(
  { store, own }: Pick<Core, 'store' | 'own'>,
  chat: ChatId,
  session: GroupSession,
): AccountId[] {
  const returned = returnedTo(store, chat)
  if (returned.length === 0 || !isAdmin(store, chat, own.id)) return []
  const settings = agreedSettings(session)
  if (settings.type !== 'group' || !settings.admins.includes(own.id)) return []
  const roster = rosterOf(session)
  return returned.filter(account => leafOf(roster, account) !== undefined)
}
