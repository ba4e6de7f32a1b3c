// Adds and removes members and sets the title, the picture and the timer.
// Each is an intent that holds whatever others change in the group meanwhile.
import { type GroupSession, leafOf, rosterOf } from '@postern/mls'
import {
  type AccountId,
  assertKept,
  type ChatId,
  CodedError,
  contentLimits,
  type Deadline,
  type GroupId,
  groupPictureFault,
  pictureUrl,
  timerFault,
} from '@postern/protocol'
import type { Core } from '../../context.ts'
import { type CommitContext, type CommitPlanner, commitToGroup } from '../../groups/commit-group.ts'
import { findGroup } from '../../groups/group-records.ts'
import { agreedSettings } from '../keys/agreed-settings.ts'
import { fetchKeyPackages } from '../keys/fetch-key-packages.ts'
import { knownPicture } from '../records/chat-pictures.ts'
import { type ChatRow, findChat, membersOf, visibleChat } from '../records/chats.ts'
import { goingFrom } from '../records/removals.ts'
import { removeLeavers } from './remove-leavers.ts'
import { removeReturned } from './remove-returned.ts'

export async function addMembers(
  core: CommitContext & Pick<Core, 'own'>,
  chat: ChatId,
  { members, deadline }: { members: AccountId[]; deadline: Deadline },
): Promise<void> {
  writableGroup(core, chat)
  // Fetched for each group: a key package that has led into one opens no second welcome.
  const plan = async (group: GroupId): Promise<CommitPlanner | 'satisfied'> => {
    // A group without keys cannot add anyone now, so no key packages are used up for it.
    if (findGroup(core.store, group)?.status === 'broken') throw new CodedError('chat-healing')
    // Somebody who has said farewell, and is still in the group, cannot be added again before the removal.
    if (goingFrom(core.store, chat).some(account => members.includes(account))) {
      await removeLeavers(core, { chat, group }, deadline)
      await removeReturned(core, { chat, group }, deadline)
    }
    const going = goingFrom(core.store, chat)
    const present = new Set(membersOf(core.store, chat).map(member => member.account_id)).difference(new Set(going))
    const wanted = [...new Set(members)].filter(account => !present.has(account))
    if (wanted.length === 0) return 'satisfied'
    assertRoom(present.size + wanted.length)
    await core.link.whenOnline(deadline.leftMs())
    const taken = await fetchKeyPackages(core, wanted, deadline)
    return session => {
      const add = taken.filter(({ account }) => !isMember(session, account))
      // Only an admin can remove somebody whose farewell does not fit the group.
      if (goingFrom(core.store, chat).some(account => members.includes(account))) throw new CodedError('chat-healing')
      assertRoom(rosterOf(session).size + add.length)
      return add.length > 0 ? { add } : 'satisfied'
    }
  }
  await planForChat(core, chat, { plan, deadline })
}

function assertRoom(members: number): void {
  if (members <= contentLimits.groupMembersMax) return
  throw new CodedError('group-full', { max: contentLimits.groupMembersMax })
}

export async function removeMembers(
  core: CommitContext & Pick<Core, 'own'>,
  chat: ChatId,
  { members, deadline }: { members: AccountId[]; deadline: Deadline },
): Promise<void> {
  writableGroup(core, chat)
  const present = new Map(membersOf(core.store, chat).map(member => [member.account_id, member]))
  if (!present.get(core.own.id)?.admin) throw new CodedError('not-an-admin')
  for (const account of members) if (!present.has(account)) throw new CodedError('not-a-member', { account })
  const intent: CommitPlanner = session => {
    // Checked again for each epoch: the others treat a removal by a dismissed admin as an offence.
    const settings = agreedSettings(session)
    if (settings.type !== 'group' || !settings.admins.includes(core.own.id)) throw new CodedError('not-an-admin')
    const remove = members.filter(account => isMember(session, account))
    return remove.length > 0 ? { remove } : 'satisfied'
  }
  await commitToChat(core, chat, { intent, deadline })
}

export async function renameGroup(
  core: CommitContext,
  chat: ChatId,
  { name, deadline }: { name: string; deadline: Deadline },
): Promise<void> {
  writableGroup(core, chat)
  const intent: CommitPlanner = session => {
    const settings = agreedSettings(session)
    if (settings.type !== 'group' || settings.title === name) return 'satisfied'
    return { settings: { ...settings, title: name } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

/** Null removes it. */
export async function setGroupPicture(
  core: CommitContext,
  chat: ChatId,
  { picture, deadline }: { picture: Uint8Array | null; deadline: Deadline },
): Promise<void> {
  if (picture) assertKept('picture', groupPictureFault(picture))
  const wanted = picture && pictureUrl(picture)
  writableGroup(core, chat)
  const intent: CommitPlanner = session => {
    const settings = agreedSettings(session)
    if (settings.type !== 'group') return 'satisfied'
    const current = settings.picture === undefined ? knownPicture(core.store, chat) : settings.picture
    if ((current ?? null) === wanted) return 'satisfied'
    return { settings: { ...settings, picture: wanted } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

/** How long messages are kept after they were read, in groups and in private chats. */
export async function setTimer(
  core: CommitContext,
  chat: ChatId,
  { timerMs, deadline }: { timerMs: number; deadline: Deadline },
): Promise<void> {
  assertKept('ms', timerFault(timerMs))
  writable(visibleChat(core.store, chat))
  const intent: CommitPlanner = session => {
    const settings = agreedSettings(session)
    return settings.timerMs === timerMs ? 'satisfied' : { settings: { ...settings, timerMs } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

export async function commitToChat(
  core: CommitContext,
  chat: ChatId,
  { intent, deadline }: Parameters<typeof commitToGroup>[2],
): Promise<void> {
  await planForChat(core, chat, { plan: async () => intent, deadline })
}

type ChatPlan = { plan: (group: GroupId) => Promise<CommitPlanner | 'satisfied'>; deadline: Deadline }

/**
 * Commits to the group that the chat has in the end. A member who is about to be removed may carry the chat on at that
 * moment, and a change of the group before it would apply to nobody.
 */
async function planForChat(core: CommitContext, chat: ChatId, { plan, deadline }: ChatPlan): Promise<void> {
  const stillWritable = () => writable(visibleChat(core.store, chat))
  for (;;) {
    const { group_id: group } = stillWritable()
    const intent = await plan(group)
    if (intent === 'satisfied') return
    const whileWritable: CommitPlanner = session => {
      stillWritable()
      return withKnownPicture(core, chat, { plan: intent(session), session })
    }
    await commitToGroup(core, group, { intent: whileWritable, deadline })
    if (findChat(core.store, chat)?.group_id === group) return
  }
}

/**
 * A member whose client does not know pictures has left the picture out of its settings. The next change of settings
 * or of members brings it back, for newcomers.
 */
function withKnownPicture(
  { store }: Pick<Core, 'store'>,
  chat: ChatId,
  { plan, session }: { plan: ReturnType<CommitPlanner>; session: GroupSession },
): ReturnType<CommitPlanner> {
  if (plan === 'satisfied' || !(plan.settings || plan.add?.length)) return plan
  const settings = plan.settings ?? agreedSettings(session)
  const picture = knownPicture(store, chat)
  if (settings.type !== 'group' || settings.picture !== undefined || picture === undefined) return plan
  return { ...plan, settings: { ...settings, picture } }
}

export function writableGroup(core: Pick<Core, 'store'>, chat: ChatId): ChatRow {
  const row = visibleChat(core.store, chat)
  if (row.type !== 'group') throw new CodedError('not-a-group')
  return writable(row)
}

function writable(row: ChatRow): ChatRow {
  if (row.state === 'request') throw new CodedError('chat-is-request')
  if (row.state === 'left') throw new CodedError('chat-left')
  if (row.blocked) throw new CodedError('chat-blocked')
  return row
}

const isMember = (session: GroupSession, account: AccountId): boolean =>
  leafOf(rosterOf(session), account) !== undefined
