// Joining by a welcome: a chat that somebody else opened, one that this account is added to again, or one that is carried on.
import type { Notice } from '@postern/bot-api/events'
import {
  epoch,
  type GroupSession,
  groupId,
  joinFromWelcome,
  type Member,
  MlsError,
  rosterOf,
  settingsOf,
} from '@postern/mls'
import { type AccountId, type ChatId, type GroupId, groupChatId, privateChatId } from '@postern/protocol'
import { decodeGroupSettings, type GroupSettings } from '@postern/protocol/content'
import type { MailboxEntry } from '@postern/protocol/relay'
import type { Core } from '../../context.ts'
import { distrustKeysOf, findGroup, insertGroup, type StoredGroup } from '../../groups/group-records.ts'
import type { LiveGroup } from '../../groups/group-sessions.ts'
import { deletePending } from '../../groups/pending-commits.ts'
import { nextRenewalMs, soonRenewalMs } from '../../groups/renewal.ts'
import { dropSuperseded } from '../../groups/superseded-groups.ts'
import { isExpired, isRevoked } from '../../identity/devices.ts'
import { consumeKeyPackage, findKeyPackage, isLastResort } from '../../identity/key-packages.ts'
import { personOf } from '../../identity/people.ts'
import { restoredCursor } from '../../journal/progress.ts'
import { type Invitation, judgeWelcome } from '../../judge/judge-welcome.ts'
import type { GroupPlace } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import type { DatabaseChange } from '../../storage/transactions/store.ts'
import { noteDeviceKeys } from '../keys/device-keys.ts'
import { tellChanges } from '../members/apply-commit.ts'
import { noteRepair } from '../members/repair-rosters.ts'
import { emitNotice } from '../notices.ts'
import { forgetAsked } from '../records/asked-rejoins.ts'
import { findChat, insertChat, isAdmin, isInUse, membersOf, replaceMembers } from '../records/chats.ts'
import { judgeInviter } from '../records/declined-chats.ts'
import { whatIsKnown } from '../records/known-chat.ts'
import { forgetLostGroup, lossesToTell, noteLossTold } from '../records/lost-groups.ts'
import { leftOutUnknown, noteNewcomers } from '../records/newcomers.ts'
import { forgetRefusal } from '../records/refusals.ts'
import { RefusedWelcome } from '../records/refused-welcome.ts'
import { forgetRejoins } from '../records/rejoins.ts'
import { groupUnknown, logUnreadable } from '../records/unreadable.ts'

type Joined = {
  session: GroupSession
  settings: GroupSettings
  chat: ChatId
  members: Member[]
  accounts: AccountId[]
  inviter: AccountId
  /** The key package that was used. */
  reference: Uint8Array
}

/** Throws MlsError when the welcome does not hold, RefusedWelcome when it may not lead there: then nothing is joined. */
export async function joinChat(
  core: Pick<
    Core,
    'store' | 'own' | 'mls' | 'groups' | 'provider' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'
  >,
  entry: MailboxEntry,
  write: (live: LiveGroup, change: DatabaseChange<void>) => void,
): Promise<void> {
  await core.groups.replace(entry.group, async () => {
    const joined = await readWelcome(core, entry)
    // What is known may still be on its way to the database.
    await core.store.caughtUp()
    assertMayLead(core, entry, joined)
    const { chat, session } = joined
    const live = core.groups.liveGroup({ id: entry.group, chat, session })
    write(live, writeJoin(core, entry, joined))
    return live
  })
}

function assertMayLead(core: Pick<Core, 'store' | 'own'>, { group, sender, ts }: MailboxEntry, joined: Joined): void {
  const { chat, settings, accounts: members, inviter, session } = joined
  const device = judgeDevice(core, joined, ts)
  const invitation = {
    own: core.own.id,
    group,
    epoch: epoch(session),
    chat,
    settings,
    members,
    inviter,
    sender,
    device,
  }
  const verdict = judgeWelcome(invitation, whatIsKnown(core.store, { group, chat }))
  if (verdict.kind === 'refuse')
    throw new RefusedWelcome(verdict, {
      chat,
      inviter,
      group,
      generation: settings.generation,
      epoch: invitation.epoch,
    })
}

/** Of who invites alone: the leaves of the others are as old as their last commit there. */
function judgeDevice({ store }: Pick<Core, 'store'>, { inviter, members }: Joined, ts: number): Invitation['device'] {
  const device = members.find(({ accountId }) => accountId === inviter)
  if (!device || isRevoked(store, inviter, device)) return 'revoked'
  return isExpired(device, ts) ? 'expired' : 'current'
}

function writeJoin(
  core: Pick<Core, 'own' | 'groups' | 'provider' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'>,
  entry: MailboxEntry,
  joined: Joined,
): DatabaseChange<void> {
  const { generation } = joined.settings
  const { session, chat, inviter } = joined
  const { maker, continues } = madeBy(joined)
  return database => {
    const { length: count } = joined.accounts
    const renewAtMs = isLastResort(database, joined.reference) ? soonRenewalMs(core, count) : nextRenewalMs(core, count)
    consumeKeyPackage(database, joined.reference)
    const missed = settleMissed(database, joined)
    const wasLost = forgetLostGroup(database, entry.group)
    forgetAsked(database, entry.group)
    // A commit that was made with the keys from before: the relay refuses it, and it would stand in the way of the next.
    deletePending(database, entry.group)
    const known = findChat(database, chat)
    const current = known && findGroup(database, known.group_id)
    insertGroup(database, {
      id: entry.group,
      chat,
      generation,
      session,
      inviter,
      ...(maker && { maker }),
      needsHello: known?.state === 'active' && isKnownToAll(database, joined) ? 0 : 2,
      status: 'open',
      renewAtMs,
      asked: wasLost && !known,
    })
    // A welcome from before the restore was followed then, too: what was said since has used up the keys that it gives.
    if (entry.cursor <= restoredCursor(database)) distrustKeysOf(database, entry.group)
    noteDeviceKeys(core, database, { members: joined.members, ts: entry.ts })
    const other = known && current && current.id !== entry.group ? current : undefined
    if (other && !isChosen(database, joined, other)) {
      const reason = 'another group of the chat is in force'
      core.log.debug({ kind: 'welcome', chat, group: entry.group, inForce: other.id, reason }, 'ignored')
      return dropSuperseded(core, database, { chat, type: joined.settings.type, inForce: other.id })
    }
    if (other) {
      forgetRefusal(database, chat)
      // Who carried it on may have told the relay fewer than are in it: nobody was there to compare.
      if (joined.settings.type === 'group') noteRepair(core, database, entry.group)
    }
    const isKnown = known !== undefined && known.state !== 'left'
    const leftOut = isKnown ? leftOutUnknown(database, chat, { ...joined, continues }) : []
    const tell = isKnown ? tellChanges(core, database, { ...joined, committer: inviter, ts: entry.ts }) : undefined
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
    if (!isKnown) judgeInviter(database, { chat, inviter })
    replaceMembers(database, chat, joined)
    if (other) forgetRejoins(database, chat, { inForce: entry.group })
    for (const { account, by } of leftOut) noteNewcomers(core, database, { chat, committer: by, added: [account] })
    if (other) dropSuperseded(core, database, { chat, type: joined.settings.type, inForce: entry.group })
    tell?.({ restarted: other !== undefined && known?.type === 'group' })
    if (isInUse(known)) tellMissed(core, database, { chat, speakers: missed, ts: entry.ts })
    core.wakeChores()
    core.rescheduleTimers()
  }
}

const madeBy = ({ settings }: Joined): { maker?: AccountId | undefined; continues?: GroupPlace | undefined } =>
  settings.type === 'group' ? settings : {}

/**
 * Members who were heard in groups that this account could not read: until now nobody could say in which chat that was. It
 * may have been in a group between the one before and this one. Of each group it is told once.
 */
function settleMissed(database: Database, { accounts, settings }: Joined): AccountId[] {
  if (settings.type === 'private') return []
  const missed = lossesToTell(database).filter(({ speaker }) => accounts.includes(speaker))
  for (const { group } of missed) noteLossTold(database, group)
  return [...new Set(missed.map(({ speaker }) => speaker))]
}

function tellMissed(
  core: Pick<Core, 'elapsed' | 'log'>,
  database: Database,
  { chat, speakers, ts }: { chat: ChatId; speakers: AccountId[]; ts: number },
): void {
  for (const speaker of speakers) {
    logUnreadable(core.log, { ...groupUnknown, chat, sender: speaker })
    const notice: Notice = { code: 'undecryptable', from: personOf(database, speaker) }
    emitNotice(core, database, { chat, notice, ts })
  }
}

/** Whoever carries a chat on with the same people need not say who it is: a thousand would say it at once. */
function isKnownToAll(database: Database, { chat, accounts, settings }: Joined): boolean {
  const known = new Set(membersOf(database, chat).map(member => member.account_id))
  return settings.type === 'group' && accounts.every(account => known.has(account))
}

/** The loser of two groups for one chat stays readable, and nothing said in it is lost; only new words go to the winner. */
function isChosen(database: Database, joined: Joined, other: StoredGroup): boolean {
  const { chat, inviter, session, settings } = joined
  const isByAdmin = (maker: AccountId): boolean => isAdmin(database, chat, maker)
  const byAdmin = isByAdmin(madeBy(joined).maker ?? inviter)
  const candidate = { id: groupId(session), generation: settings.generation, byAdmin }
  return supersedes(candidate, { ...other, byAdmin: isByAdmin(other.maker ?? other.inviter) })
}

type Candidate = Pick<StoredGroup, 'id' | 'generation'> & { byAdmin: boolean }

/** Everybody decides alike: the higher generation, then an admin's, whom all follow, then the lower id. A broken one loses. */
function supersedes(candidate: Candidate, current: Candidate & Pick<StoredGroup, 'status'>): boolean {
  if (candidate.generation !== current.generation) return candidate.generation > current.generation
  if (current.status === 'broken') return true
  return candidate.byAdmin === current.byAdmin ? candidate.id < current.id : candidate.byAdmin
}

async function readWelcome(core: Pick<Core, 'store' | 'mls'>, entry: MailboxEntry): Promise<Joined> {
  const { session, reference, inviterLeaf } = await joinFromWelcome(core.mls, {
    welcome: entry.payload,
    findKeyPackage: wanted => findKeyPackage(core.store, wanted),
  })
  if (groupId(session) !== entry.group) throw new MlsError('mls-wrong-group', 'The welcome is for another group.')
  const settings = decodeGroupSettings(settingsOf(session))
  if (!settings) throw new MlsError('mls-forbidden', 'The group has settings that cannot be read.')
  const roster = rosterOf(session)
  const members = [...roster.values()]
  const inviter = roster.get(inviterLeaf)?.accountId
  if (!inviter) throw new MlsError('mls-forbidden', 'The welcome names no inviter.')
  const accounts = members.map(member => member.accountId)
  const chat = chatOf(entry.group, { settings, inviter })
  return { session, settings, members, accounts, inviter, reference, chat }
}

/** The chat that the welcome claims to lead into: whether it may is the judge's question. */
const chatOf = (group: GroupId, { settings, inviter }: Pick<Joined, 'settings' | 'inviter'>): ChatId =>
  settings.type === 'private' ? privateChatId(inviter) : (settings.chat ?? groupChatId(group))
