// Chats whose keys are lost: a private chat gets its next generation, in a group another member adds this account anew.
import {
  type AccountId,
  type ChatId,
  clientLimits,
  type Deadline,
  type GroupId,
  isCoded,
  privateChatId,
} from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import type { Entry } from '@postern/protocol/relay'
import { findChat, insertChat, membersOf, otherPerson, replaceMembers, viewChat } from '../chats/chats.ts'
import { beyondAll, ensurePrivateChat, ensureQuietChat, openPrivateChat } from '../chats/open-chat.ts'
import type { Core } from '../context.ts'
import { newestMark } from '../groups/epoch-marks.ts'
import { findGroup } from '../groups/group-records.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { newDraft } from '../messages/compose.ts'
import { sendDraft } from '../messages/send.ts'
import type { Database } from '../storage/database.ts'

type BrokenChat = { id: ChatId; group: GroupId }
/** 0: it is to be healed. 1: it is, or others were asked to. 2: only an admin can. 3: the admins were asked. */
type LostGroup = { group_id: GroupId; speaker: AccountId; ts: number; healed: number }

export async function healChats(core: Core, deadline: Deadline): Promise<void> {
  const askedMs = core.passed.nowMs() - clientLimits.rejoinAskAgainMs
  if (core.store.get('SELECT 1 FROM lost_group WHERE speaker = ? AND ts < ?', core.own.id, askedMs))
    await core.store.write(database =>
      database.run('DELETE FROM lost_group WHERE speaker = ? AND ts < ?', core.own.id, askedMs),
    )
  const lost = core.store.all<LostGroup>('SELECT * FROM lost_group WHERE healed = 0')
  await forEach(lost, one => healLost(core, one, deadline))
  await forEach(brokenChats(core), chat => healBroken(core, chat, deadline))
  await forEach(chatsToAskAgain(core), chat => askAdmins(core, chat, deadline))
}

/** One that cannot be healed keeps no other from it: whoever has no good keys at the relay would make all of them wait. */
async function forEach<T>(all: readonly T[], heal: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) await heal(one).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

/**
 * Somebody speaks in a group of which this database knows nothing, as after a restore from a backup. All that is known of
 * it is the relay's word, and a stranger who spoils its own welcome looks the same: whoever was not let in waits as a request.
 */
export function noteLostGroup(core: Core, database: Database, entry: Entry): void {
  const { group, sender: speaker, ts } = entry
  const known = database.get<LostGroup>('SELECT * FROM lost_group WHERE group_id = ?', group)
  if (known?.healed) reportLoss(core, database, { chat: privateChatId(speaker), speaker })
  if (known) return
  database.run('INSERT INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)', group, speaker, ts)
  if (!isLetIn(core, database, speaker)) showRequest(core, database, { group, speaker, ts })
}

/** Its keys may be made anew without a word of the owner: the chat was active, or everybody gets in anyway. */
const isLetIn = (core: Core, reads: Pick<Database, 'get'>, speaker: AccountId): boolean =>
  core.acceptRequests === 'all' ||
  reads.get('SELECT 1 FROM chat WHERE id = ? AND state = ?', privateChatId(speaker), 'active') !== undefined

/** The owner sees that somebody is there who cannot be read, and may accept; nothing of this account is given away. */
function showRequest(
  core: Core,
  database: Database,
  { group, speaker, ts }: { group: GroupId; speaker: AccountId; ts: number },
): void {
  const id = privateChatId(speaker)
  if (findChat(database, id)) return
  const settings = { v: 1, type: 'private', generation: 0, timerMs: 0 } as const
  insertChat(database, { id, group_id: group, state: 'request', visible: 1, first_seen_ts: ts }, settings)
  replaceMembers(database, id, { accounts: [core.own.id, speaker], settings })
  const row = findChat(database, id)
  if (row) appendEvent(core, database, { type: 'chat', chat_id: id, chat: viewChat(database, row) })
}

async function healLost(core: Core, lost: LostGroup, deadline: Deadline): Promise<void> {
  const { group_id: group, speaker } = lost
  if (!isLetIn(core, core.store, speaker)) return
  const members = await membersAtRelay(core, group)
  const isPrivate = members.length === 2 && members.includes(speaker)
  if (isPrivate) {
    await openPrivateChat(core, { account: speaker }, { deadline, atLeast: beyondAll(core.clock.nowMs()) })
    await say(core, privateChatId(speaker), { body: { kind: 'hello' }, deadline })
  } else if (members.includes(speaker)) {
    await askToRejoin(core, { group, members: [speaker] }, deadline)
  }
  await core.store.write(database => {
    database.run('UPDATE lost_group SET healed = 1 WHERE group_id = ?', group)
    if (!isPrivate) return
    reportLoss(core, database, { chat: privateChatId(speaker), speaker })
    // Of a group of many it is told where this account is added anew; this one was told of.
    database.run('UPDATE lost_group SET speaker = ? WHERE group_id = ?', core.own.id, group)
  })
}

/** None when the relay says that this account is no member either. */
async function membersAtRelay(core: Core, group: GroupId): Promise<AccountId[]> {
  try {
    return (await core.link.call('getGroup', { group })).members
  } catch (error) {
    if (isCoded(error, 'group-unknown')) return []
    throw error
  }
}

function reportLoss(core: Core, database: Database, { chat, speaker }: { chat: ChatId; speaker: AccountId }): void {
  if (findChat(database, chat)?.state !== 'active') return
  const notice = { code: 'undecryptable' as const, from: personOf(database, speaker) }
  appendEvent(core, database, { type: 'notice', chat_id: chat, notice })
}

const brokenChats = (core: Core): BrokenChat[] =>
  core.store.all<BrokenChat>(
    `SELECT chat.id, chat.group_id AS "group" FROM mls_group CROSS JOIN chat
       ON chat.id = mls_group.chat_id AND chat.group_id = mls_group.id
     WHERE mls_group.status = 'broken' AND chat.state = 'active'
       -- Of a group that somebody killed there is nothing left to be added to: it is carried on by another.
       AND (chat.type = 'private' OR mls_group.offender IS NULL)
       AND NOT EXISTS (SELECT 1 FROM lost_group WHERE lost_group.group_id = chat.group_id)`,
  )

async function healBroken(core: Core, { id, group }: BrokenChat, deadline: Deadline): Promise<void> {
  const row = findChat(core.store, id)
  const other = row && otherPerson(row)
  if (other) {
    await ensurePrivateChat(core, { account: other }, deadline)
    await say(core, id, { body: { kind: 'hello' }, deadline })
    // The old group may have been two, one for each of us: the other side finds that out by this.
    const mark = newestMark(core.store, group)
    if (mark) await say(core, id, { body: { kind: 'compare', ...mark }, deadline })
    return
  }
  await askToRejoin(core, { group, members: membersToAsk(core, id, group) }, deadline)
  // Asked once: whoever is asked keeps the wish until it is done.
  await core.store.write(database =>
    database.run(
      // The first who was asked may have answered already, and not been believed.
      'INSERT OR IGNORE INTO lost_group (group_id, speaker, ts, healed) VALUES (?, ?, ?, 1)',
      group,
      core.own.id,
      core.passed.nowMs(),
    ),
  )
}

/** Somebody has added this account anew, and cannot prove to it what has changed since: an admin is asked, once. */
export function wantAdmin(core: Core, database: Database, group: GroupId): void {
  if (findGroup(database, group)?.status !== 'broken') return
  database.run(
    `INSERT INTO lost_group (group_id, speaker, ts, healed) VALUES (?, ?, ?, 2)
     ON CONFLICT DO UPDATE SET healed = 2 WHERE healed < 2`,
    group,
    core.own.id,
    core.passed.nowMs(),
  )
  core.poke()
}

/** Those who added this account anew were no admins, and told what only an admin may. */
const chatsToAskAgain = (core: Core): BrokenChat[] =>
  core.store.all<BrokenChat>(
    `SELECT chat.id, chat.group_id AS "group" FROM lost_group JOIN chat ON chat.group_id = lost_group.group_id
     WHERE lost_group.healed = 2 AND chat.state = 'active'`,
  )

async function askAdmins(core: Core, { id, group }: BrokenChat, deadline: Deadline): Promise<void> {
  const admins = membersOf(core.store, id).filter(member => member.admin && member.account_id !== core.own.id)
  await askToRejoin(
    core,
    { group, members: admins.slice(0, clientLimits.rejoinAskedMax).map(member => member.account_id) },
    deadline,
  )
  await core.store.write(database => database.run('UPDATE lost_group SET healed = 3 WHERE group_id = ?', group))
}

async function askToRejoin(
  core: Core,
  { group, members }: { group: GroupId; members: AccountId[] },
  deadline: Deadline,
): Promise<void> {
  await forEach(members, async account => {
    const { id } = await ensureQuietChat(core, account, deadline)
    await say(core, id, { body: { kind: 'rejoin', group }, deadline })
  })
}

async function say(
  core: Core,
  chat: ChatId,
  { body, deadline }: { body: Extract<KnownBody, { kind: 'hello' | 'rejoin' | 'compare' }>; deadline: Deadline },
): Promise<void> {
  await sendDraft(core, chat, { draft: newDraft(core, body), deadline })
}

/** Who added this account first, then the admins, then any: when it has to ask again, others than before. */
function membersToAsk(core: Core, chat: ChatId, group: GroupId): AccountId[] {
  const inviter = findGroup(core.store, group)?.inviter
  const rank = (member: { account_id: AccountId; admin: number }) =>
    member.account_id === inviter ? 0 : member.admin ? 1 : 2
  return membersOf(core.store, chat)
    .filter(member => member.account_id !== core.own.id && !member.leaving)
    .map(member => ({ account: member.account_id, place: rank(member) + core.jitter() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, clientLimits.rejoinAskedMax)
    .map(({ account }) => account)
}
