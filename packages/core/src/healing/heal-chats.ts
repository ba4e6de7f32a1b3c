// Heals chats whose keys are lost: a private chat gets its next generation,
// and in a group another member adds this account again.
import { type AccountId, type ChatId, clientLimits, type Deadline, type GroupId } from '@postern/protocol'
import { ensurePrivateChat } from '../chats/opening/open-chat.ts'
import {
  chatsToAskAdmins,
  forgetAskedBefore,
  hasAskedBefore,
  noteAdminsAsked,
  noteMembersAsked,
  wantAdminsAsked,
} from '../chats/records/asked-rejoins.ts'
import { type ChatRow, findChat, membersOf, otherPerson } from '../chats/records/chats.ts'
import { brokenChats, type ChatGroup } from '../chats/records/chats-by-group.ts'
import { askInstead, forgetPastLosses, hasPastLosses, lostGroupsToHeal } from '../chats/records/lost-groups.ts'
import type { RefusedWelcome } from '../chats/records/refused-welcome.ts'
import type { Core } from '../context.ts'
import { findGroup, type StoredGroup } from '../groups/group-records.ts'
import { isBlocked } from '../identity/trust.ts'
import type { Database } from '../storage/database.ts'
import type { Store } from '../storage/transactions/store.ts'
import { askToRejoin, forEach, say } from './ask-to-rejoin.ts'
import { healLost } from './heal-lost-group.ts'

type Reads = Pick<Store, 'get' | 'all'>

export async function healChats(core: Core, deadline: Deadline): Promise<void> {
  await forgetOld(core)
  const { store } = core
  await forEach(lostGroupsToHeal(store), lost => healLost(core, lost, deadline))
  await forEach(brokenChats(store), chat => healBroken(core, chat, deadline))
  await forEach(chatsToAskAdmins(store), chat => askAdmins(core, chat, deadline))
}

/** A member that was asked and has not helped by now may be gone: the account asks others. */
async function forgetOld({ store, elapsed }: Pick<Core, 'store' | 'elapsed'>): Promise<void> {
  const nowMs = elapsed.nowMs()
  const beforeMs = nowMs - clientLimits.rejoinAskAgainMs
  const losses = { toldMs: beforeMs, healedMs: nowMs - clientLimits.lostGroupsKeptMs }
  if (!hasAskedBefore(store, beforeMs) && !hasPastLosses(store, losses)) return
  await store.write(database => {
    forgetAskedBefore(database, beforeMs)
    forgetPastLosses(database, losses)
  })
}

async function healBroken(core: Core, { chat: id, group }: ChatGroup, deadline: Deadline): Promise<void> {
  const row = findChat(core.store, id)
  const other = row && otherPerson(row)
  if (other) {
    await ensurePrivateChat(core, { account: other }, deadline)
    await say(core, id, { body: { kind: 'hello' }, deadline })
    return
  }
  const loss = lossOf(core.store, group)
  if (!loss) return
  await askToRejoin(core, { group, members: membersToAsk(core, id, group) }, deadline)
  // Asked once: the members keep the request until it is fulfilled.
  await core.store.write(database => {
    if (isStillLost(database, loss)) noteMembersAsked(database, group, core.elapsed.nowMs())
  })
}

type Loss = Pick<StoredGroup, 'id' | 'epoch'>

/** Undefined when it was healed while other chats were processed. */
function lossOf(reads: Reads, group: GroupId): Loss | undefined {
  const row = findGroup(reads, group)
  return row?.status === 'broken' ? row : undefined
}

/**
 * The first member that was asked may have helped while the others were being asked. Noted as asked after that, this
 * account would ask nobody when it loses the group again. An account that is in the group again is in a later epoch.
 */
const isStillLost = (database: Database, { id, epoch }: Loss): boolean => lossOf(database, id)?.epoch === epoch

type UnprovedWelcome = { chat: ChatRow; invitation: RefusedWelcome['invitation']; ts: number }

/**
 * A member has added this account again and cannot prove what has changed since: an admin is asked, once. The same
 * applies when others continue in a group that this account does not know. A group that was just made need not be
 * theirs, and is answered instead.
 */
export function wantAdmin(
  core: Pick<Core, 'own' | 'elapsed' | 'wakeChores'>,
  database: Database,
  { chat, invitation, ts }: UnprovedWelcome,
): void {
  const { group, inviter, epoch } = invitation
  if (findGroup(database, chat.group_id)?.status === 'broken')
    wantAdminsAsked(database, chat.group_id, core.elapsed.nowMs())
  const admin = membersOf(database, chat.id).find(
    ({ account_id: account, admin }) => admin && account !== core.own.id && account !== inviter,
  )
  const speaker = epoch > 1 && !findGroup(database, group) ? admin?.account_id : undefined
  if (speaker) askInstead(database, { group, speaker, ts })
  core.wakeChores()
}

async function askAdmins(core: Core, { chat: id, group }: ChatGroup, deadline: Deadline): Promise<void> {
  const admins = othersToAsk(core, id).filter(member => member.admin)
  const loss = lossOf(core.store, group)
  if (!loss) return
  await askToRejoin(
    core,
    { group, members: admins.slice(0, clientLimits.rejoinAskedMax).map(member => member.account_id) },
    deadline,
  )
  await core.store.write(database => {
    if (isStillLost(database, loss)) noteAdminsAsked(database, group)
  })
}

/** The inviter first, then the admins, then any member, in random order: a repeated request reaches other members. */
function membersToAsk(core: Pick<Core, 'store' | 'own' | 'jitter'>, chat: ChatId, group: GroupId): AccountId[] {
  const inviter = findGroup(core.store, group)?.inviter
  const rank = (member: { account_id: AccountId; admin: number }) =>
    member.account_id === inviter ? 0 : member.admin ? 1 : 2
  return othersToAsk(core, chat)
    .filter(member => !member.leaving)
    .map(member => ({ account: member.account_id, place: rank(member) + core.jitter() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, clientLimits.rejoinAskedMax)
    .map(({ account }) => account)
}

/** Blocked members are not asked. */
const othersToAsk = ({ store, own }: Pick<Core, 'store' | 'own'>, chat: ChatId) =>
  membersOf(store, chat).filter(({ account_id }) => account_id !== own.id && !isBlocked(store, account_id))
