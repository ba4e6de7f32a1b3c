// Joining by a welcome: a chat that somebody else opened, or one that this account is added to again.
import { type AccountId, type ChatId, type GroupId, groupChatId, privateChatId } from '@postern/protocol'
import { decodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import type { Entry } from '@postern/protocol/relay'
import type { Core } from '../context.ts'
import { deletePending, findGroup, type GroupRow, insertGroup } from '../groups/group-records.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { consumeKeyPackage, findKeyPackage } from '../identity/key-packages.ts'

import { epoch, type GroupSession, groupId, rosterOf, settingsOf } from '../mls/group-session.ts'
import { joinFromWelcome } from '../mls/join-group.ts'
import { MlsError } from '../mls/mls-error.ts'
import type { Change } from '../storage/store.ts'
import { findChat, insertChat, replaceMembers } from './chats.ts'

type Joined = {
  session: GroupSession
  settings: GroupSettings
  chat: ChatId
  accounts: AccountId[]
  inviter: AccountId
  /** Of the key package that was used. */
  reference: Uint8Array
}

/** Throws MlsError when the welcome does not hold: then nothing is joined. */
export async function joinChat(
  core: Core,
  entry: Entry,
  record: (live: LiveGroup, change: Change<void>) => void,
): Promise<void> {
  await core.groups.replace(entry.group, async () => {
    const joined = await readWelcome(core, entry)
    assertNewer(core, entry.group, joined.session)
    const { chat, session } = joined
    const live: LiveGroup = { id: entry.group, chat, session, isBroken: false, unsaved: 0, pending: undefined }
    record(live, writeJoin(entry, joined))
    return live
  })
}

/** Last resort key packages open a welcome again and again: an old one must not take the group back to old keys. */
function assertNewer(core: Core, group: GroupId, session: GroupSession): void {
  const known = findGroup(core.store, group)
  if (known && epoch(session) <= known.epoch)
    throw new MlsError(
      'mls-replayed',
      `The welcome leads to epoch ${epoch(session)}, and the group was in ${known.epoch}.`,
    )
}

function writeJoin(entry: Entry, joined: Joined): Change<void> {
  const generation = joined.settings.type === 'private' ? joined.settings.generation : 0
  const { session, chat, inviter } = joined
  return database => {
    consumeKeyPackage(database, joined.reference)
    database.run('DELETE FROM lost_group WHERE group_id = ?', entry.group)
    // Of the keys from before: the relay refuses it, and it would stand in the way of the next.
    deletePending(database, entry.group)
    const known = findChat(database, chat)
    const current = known && findGroup(database, known.group_id)
    insertGroup(database, { id: entry.group, chat, generation, session, inviter, needsHello: 2, status: 'open' })
    // The loser of two private groups stays readable, and nothing said in it is lost; only new words go to the winner.
    if (known && current && current.id !== entry.group && !supersedes({ id: entry.group, generation }, current)) return
    const isKnown = known !== undefined && known.state !== 'left'
    insertChat(
      database,
      {
        id: chat,
        group_id: entry.group,
        state: isKnown ? known.state : 'request',
        visible: isKnown ? known.visible : 0,
        first_seen_ts: known?.first_seen_ts ?? entry.ts,
      },
      joined.settings,
    )
    replaceMembers(database, chat, joined)
  }
}

/** Everybody decides alike: the higher generation, then the lower id. A broken group loses to any. */
function supersedes(
  candidate: { id: GroupId; generation: number },
  current: Pick<GroupRow, 'id' | 'generation' | 'status'>,
): boolean {
  if (candidate.generation !== current.generation) return candidate.generation > current.generation
  return current.status === 'broken' || candidate.id < current.id
}

async function readWelcome(core: Core, entry: Entry): Promise<Joined> {
  const { session, reference, inviterLeaf } = await joinFromWelcome(core.mls, {
    welcome: entry.payload,
    findKeyPackage: wanted => findKeyPackage(core.store, wanted),
  })
  if (groupId(session) !== entry.group) throw new MlsError('mls-wrong-group', 'The welcome is for another group.')
  const settings = decodeGroupSettings(settingsOf(session))
  if (!settings) throw new MlsError('mls-forbidden', 'The group has settings that cannot be read.')
  const members = rosterOf(session)
  const accounts = [...members.values()].map(member => member.accountId)
  const inviter = members.get(inviterLeaf)?.accountId
  if (!inviter) throw new MlsError('mls-forbidden', 'The welcome names no inviter.')
  return { session, settings, accounts, inviter, reference, chat: chatOf(core, entry.group, { settings, accounts }) }
}

function chatOf(core: Core, group: GroupId, { settings, accounts }: Pick<Joined, 'settings' | 'accounts'>): ChatId {
  if (settings.type === 'group') return groupChatId(group)
  const [other, ...more] = accounts.filter(account => account !== core.own.id)
  if (!other || more.length > 0) throw new MlsError('mls-forbidden', 'A private chat has two people.')
  return privateChatId(other)
}
