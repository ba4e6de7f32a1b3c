// Adding and removing people, and the group's title: each an intent that holds whoever else changes the group meanwhile.
import { type GroupSession, leafOf, rosterOf, settingsOf } from '@postern/mls'
import { type AccountId, type ChatId, CodedError, contentLimits, type Deadline } from '@postern/protocol'
import { decodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import type { Core } from '../context.ts'
import { type CommitIntent, commitToGroup } from '../groups/commit-group.ts'
import { findGroup } from '../groups/group-records.ts'
import { type ChatRow, findChat, membersOf, visibleChat } from './chats.ts'
import { takeKeyPackages } from './open-chat.ts'

export async function addMembers(
  core: Core,
  chat: ChatId,
  { members, deadline }: { members: AccountId[]; deadline: Deadline },
): Promise<void> {
  const { group_id } = writableGroup(core, chat)
  // Nobody's key packages are used up for what cannot be done now.
  if (findGroup(core.store, group_id)?.status === 'broken') throw new CodedError('chat-healing')
  const present = new Set(membersOf(core.store, chat).map(member => member.account_id))
  const wanted = [...new Set(members)].filter(account => !present.has(account))
  if (wanted.length === 0) return
  if (present.size + wanted.length > contentLimits.groupMembersMax)
    throw new CodedError('group-full', { max: contentLimits.groupMembersMax })
  await core.link.whenOnline(deadline.leftMs())
  const taken = await takeKeyPackages(core, wanted, deadline)
  const intent: CommitIntent = session => {
    const add = taken.filter(({ account }) => !isMember(session, account))
    return add.length > 0 ? { add } : 'satisfied'
  }
  await commitToChat(core, chat, { intent, deadline })
}

export async function removeMembers(
  core: Core,
  chat: ChatId,
  { members, deadline }: { members: AccountId[]; deadline: Deadline },
): Promise<void> {
  writableGroup(core, chat)
  const present = new Map(membersOf(core.store, chat).map(member => [member.account_id, member]))
  if (!present.get(core.own.id)?.admin) throw new CodedError('not-an-admin')
  for (const account of members) if (!present.has(account)) throw new CodedError('not-a-member', { account })
  await commitToChat(core, chat, { intent: removalOf(members), deadline })
}

function removalOf(accounts: AccountId[]): CommitIntent {
  return session => {
    const remove = accounts.filter(account => isMember(session, account))
    return remove.length > 0 ? { remove } : 'satisfied'
  }
}

export async function renameGroup(
  core: Core,
  chat: ChatId,
  { name, deadline }: { name: string; deadline: Deadline },
): Promise<void> {
  writableGroup(core, chat)
  const intent: CommitIntent = session => {
    const settings = requiredSettings(session)
    if (settings.type !== 'group' || settings.title === name) return 'satisfied'
    return { settings: { ...settings, title: name } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

/** In private chats, too. */
export async function setTimer(
  core: Core,
  chat: ChatId,
  { timerMs, deadline }: { timerMs: number; deadline: Deadline },
): Promise<void> {
  const isTimer = Number.isSafeInteger(timerMs) && timerMs >= 0 && timerMs <= contentLimits.timerMsMax
  if (!isTimer)
    throw new CodedError('bad-field', {
      field: 'ms',
      rule: `a number from 0 to ${contentLimits.timerMsMax} is required`,
    })
  writable(visibleChat(core.store, chat))
  const intent: CommitIntent = session => {
    const settings = requiredSettings(session)
    return settings.timerMs === timerMs ? 'satisfied' : { settings: { ...settings, timerMs } }
  }
  await commitToChat(core, chat, { intent, deadline })
}

/**
 * In the group that the chat has in the end: a member who is about to be removed may carry the chat on in that moment, and
 * what was changed in the group before it would be true for nobody.
 */
async function commitToChat(core: Core, chat: ChatId, change: Parameters<typeof commitToGroup>[2]): Promise<void> {
  for (;;) {
    const { group_id: group } = writable(visibleChat(core.store, chat))
    await commitToGroup(core, group, change)
    if (findChat(core.store, chat)?.group_id === group) return
  }
}

export function writableGroup(core: Core, chat: ChatId): ChatRow {
  const row = visibleChat(core.store, chat)
  if (row.type !== 'group') throw new CodedError('not-a-group')
  return writable(row)
}

function writable(row: ChatRow): ChatRow {
  if (row.state === 'request') throw new CodedError('chat-is-request')
  if (row.state === 'left') throw new CodedError('chat-left')
  return row
}

const isMember = (session: GroupSession, account: AccountId): boolean =>
  leafOf(rosterOf(session), account) !== undefined

function requiredSettings(session: GroupSession): GroupSettings {
  const settings = decodeGroupSettings(settingsOf(session))
  if (!settings) throw new CodedError('internal')
  return settings
}
