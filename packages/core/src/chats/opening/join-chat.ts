// Joins by a welcome: a chat that another account opened, one that adds this account again, or one that is carried on.
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
import { greetingTo } from '../../groups/greetings.ts'
import { distrustKeysOf, endGroup, findGroup, insertGroup, type StoredGroup } from '../../groups/group-records.ts'
import type { LiveGroup } from '../../groups/group-sessions.ts'
import { deletePending } from '../../groups/pending-commits.ts'
import { nextRenewalMs, soonRenewalMs } from '../../groups/renewal.ts'
import { dropSuperseded } from '../../groups/superseded-groups.ts'
import { isExpired, isRevoked } from '../../identity/devices.ts'
import { consumeKeyPackage, findKeyPackage, isLastResort } from '../../identity/key-packages.ts'
import { personOf } from '../../identity/people.ts'
import { wantsPreviews } from '../../identity/preview-wish.ts'
import { restoredCursor } from '../../journal/progress.ts'
import { FIRST_EPOCH, type Invitation, judgeWelcome } from '../../judge/judge-welcome.ts'
import { type GroupPlace, supersedes } from '../../judge/successor.ts'
import type { Database } from '../../storage/database.ts'
import type { DatabaseChange } from '../../storage/transactions/store.ts'
import { noteDeviceKeys } from '../keys/device-keys.ts'
import { tellChanges } from '../members/apply-commit.ts'
import { noteRepair } from '../members/repair-rosters.ts'
import { emitNotice } from '../notices.ts'
import { forgetAsked } from '../records/asked-rejoins.ts'
import { type ChatRow, findChat, insertChat, isAdmin, isInUse, membersOf, replaceMembers } from '../records/chats.ts'
import { judgeInviter } from '../records/declined-chats.ts'
import { broughtBack, whatIsKnown } from '../records/known-chat.ts'
import { forgetLostGroup, lossesToTell, noteLossTold } from '../records/lost-groups.ts'
import { leftOutUnknown, noteNewcomers } from '../records/newcomers.ts'
import { noteRefusalAnswered } from '../records/refusals.ts'
import { RefusedWelcome } from '../records/refused-welcome.ts'
import { forgetRejoins } from '../records/rejoins.ts'
import { forgetRemovals, judgeReturned, noteLeftOut } from '../records/removals.ts'
import { groupUnknown, logUnreadable } from '../records/unreadable.ts'

type Joined = {
  session: GroupSession
  settings: GroupSettings
  chat: ChatId
  members: Member[]
  accounts: AccountId[]
  inviter: AccountId
  /** The key package that the welcome used. */
  reference: Uint8Array
}

/**
 * Throws MlsError when the welcome is invalid, and RefusedWelcome when it may not lead there. Nothing is joined then.
 */
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
    // The latest records may still be on their way to the database.
    await core.store.caughtUp()
    assertMayLead(core, entry, joined)
    const { chat, session } = joined
    const live = core.groups.liveGroup({ id: entry.group, chat, session })
    write(live, writeJoin(core, live, { entry, joined }))
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

/** Checks the inviter alone: the leaves of the others are as old as their last commit in the group. */
function judgeDevice({ store }: Pick<Core, 'store'>, { inviter, members }: Joined, ts: number): Invitation['device'] {
  const device = members.find(({ accountId }) => accountId === inviter)
  if (!device || isRevoked(store, inviter, device)) return 'revoked'
  return isExpired(device, ts) ? 'expired' : 'current'
}

function writeJoin(
  core: Pick<Core, 'own' | 'groups' | 'provider' | 'elapsed' | 'log' | 'wakeChores' | 'rescheduleTimers'>,
  live: LiveGroup,
  { entry, joined }: { entry: MailboxEntry; joined: Joined },
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
    // A pending commit was made with the earlier keys: the relay refuses it, and it would block the next one.
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
      madeAt: isByMaker(joined) && continues ? JSON.stringify(continues) : undefined,
      needsHello: known?.state === 'active' ? greetingAgain(database, joined) : 2,
      status: 'open',
      renewAtMs,
      asked: wasLost && !known,
    })
    // Already followed before the restore: messages sent since have used up the keys that this welcome gives.
    if (entry.cursor <= restoredCursor(database)) distrustKeysOf(database, entry.group)
    noteDeviceKeys(core, database, { members: joined.members, ts: entry.ts })
    const other = known && current && current.id !== entry.group ? current : undefined
    if (other && !isChosen(database, joined, other)) {
      const reason = 'another group of the chat is in force'
      core.log.debug({ kind: 'welcome', chat, group: entry.group, inForce: other.id, reason }, 'ignored')
      return dropSuperseded(core, database, { chat, type: joined.settings.type, inForce: other.id })
    }
    const isKnown = known !== undefined && known.state !== 'left'
    const leftOut = isKnown ? leftOutUnknown(database, chat, { ...joined, generation, continues }) : []
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
    if (isKnown) noteComingAndGoing(database, joined, { isSuccessor: other !== undefined, newcomers: leftOut })
    else forgetRemovals(database, chat)
    if (other && isKnown) endForOffenders(core, database, { live, known, joined })
    replaceMembers(database, chat, joined)
    if (other) noteFollowed(core, database, joined)
    if (other) forgetRejoins(database, chat, { inForce: entry.group })
    for (const { account, by } of leftOut) noteNewcomers(core, database, { chat, committer: by, added: [account] })
    if (other) dropSuperseded(core, database, { chat, type: joined.settings.type, inForce: entry.group })
    tell?.({ restarted: other !== undefined && known?.type === 'group' })
    if (isInUse(known)) tellMissed(core, database, { chat, speakers: missed, ts: entry.ts })
    core.wakeChores()
    core.rescheduleTimers()
  }
}

/** Called before the members are replaced. */
function noteComingAndGoing(
  database: Database,
  joined: Joined,
  { isSuccessor, newcomers }: { isSuccessor: boolean; newcomers: { account: AccountId }[] },
): void {
  const { chat, accounts, session, settings, inviter } = joined
  if (settings.type !== 'group') return
  const { generation } = settings
  const continues = isByMaker(joined) ? settings.continues : undefined
  judgeReturned(database, chat, { accounts, made: isSuccessor ? { generation, continues, inviter } : undefined })
  const place = { group: groupId(session), epoch: epoch(session) }
  noteLeftOut(database, { chat, accounts, newcomers: newcomers.map(({ account }) => account) }, place)
}

function noteFollowed(
  core: Pick<Core, 'elapsed' | 'rescheduleTimers'>,
  database: Database,
  { chat, session, settings }: Joined,
): void {
  noteRefusalAnswered(database, chat, core.elapsed.nowMs())
  // Its maker may have told the relay fewer members than it has: nobody else was there to compare.
  if (settings.type === 'group') noteRepair(core, database, groupId(session))
}

/**
 * An admin carries the group on without them, and all follow an admin. Another member follows: its proof is a claim to
 * members who have not read the offence, and they would carry the group on again with the offenders. Called before the
 * members are replaced.
 */
function endForOffenders(
  { own, elapsed }: Pick<Core, 'own' | 'elapsed'>,
  database: Database,
  { live, known, joined }: { live: LiveGroup; known: ChatRow; joined: Joined },
): void {
  const { settings, accounts } = joined
  if (settings.type !== 'group' || !settings.admins.includes(own.id)) return
  const offenders = broughtBack(database, known, accounts)
  live.isBroken ||= offenders.length > 0
  for (const offender of offenders) endGroup(database, live.id, { nowMs: elapsed.nowMs(), offender })
}

/** Only the first commit of a group is proved to be its maker's: a member that adds others later may name another maker. */
const isByMaker = ({ session }: Joined): boolean => epoch(session) === FIRST_EPOCH

const madeBy = ({ settings }: Joined): { maker?: AccountId | undefined; continues?: GroupPlace | undefined } =>
  settings.type === 'group' ? settings : {}

/**
 * Members who spoke in groups that this account could not read: until now their chat was unknown. It may have been a
 * group between the previous one and this one. Each group is reported once.
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

/**
 * The maker of a successor with the same people need not introduce itself:
 * a thousand members would do so at the same time.
 */
function greetingAgain(database: Database, { chat, accounts, settings }: Joined): 0 | 1 | 2 {
  const known = new Set(membersOf(database, chat).map(member => member.account_id))
  if (settings.type !== 'group' || !accounts.every(account => known.has(account))) return 2
  // A member that was left out for a while is not remembered as one that wants previews.
  return wantsPreviews(database) ? greetingTo(database, accounts.length) : 0
}

/**
 * The losing group of two for one chat stays readable, and nothing said in it is lost.
 * Only new messages go to the winner.
 */
function isChosen(database: Database, joined: Joined, other: StoredGroup): boolean {
  const { chat, inviter, session, settings } = joined
  const isByAdmin = (maker: AccountId): boolean => isAdmin(database, chat, maker)
  const byAdmin = isByAdmin(madeBy(joined).maker ?? inviter)
  const candidate = { id: groupId(session), generation: settings.generation, byAdmin }
  return supersedes(candidate, { ...other, byAdmin: isByAdmin(other.maker ?? other.inviter) })
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

/** The chat into which the welcome claims to lead. The judge decides whether it may. */
const chatOf = (group: GroupId, { settings, inviter }: Pick<Joined, 'settings' | 'inviter'>): ChatId =>
  settings.type === 'private' ? privateChatId(inviter) : (settings.chat ?? groupChatId(group))
