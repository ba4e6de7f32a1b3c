// Chats whose keys are lost: a private chat gets its next generation, in a group another member adds this account anew.
import { type AccountId, type ChatId, type GroupId, isCoded, privateChatId } from '@postern/protocol'
import type { Entry } from '@postern/protocol/relay'
import { findChat, membersOf, otherPerson } from '../chats/chats.ts'
import { beyondAll, ensurePrivateChat, openPrivateChat } from '../chats/open-chat.ts'
import type { Core } from '../context.ts'
import type { Deadline } from '../deadline.ts'
import { findGroup } from '../groups/group-records.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { newDraft } from '../messages/compose.ts'
import { sendDraft } from '../messages/send.ts'
import type { Database } from '../storage/database.ts'

/** How many members are asked to add this account anew: one may be away. */
const ASKED_MAX = 3

type BrokenChat = { id: ChatId; group: GroupId }
type LostGroup = { group_id: GroupId; speaker: AccountId; ts: number }

export async function healChats(core: Core, deadline: Deadline): Promise<void> {
  for (const lost of core.store.all<LostGroup>('SELECT * FROM lost_group WHERE healed = 0'))
    await healLost(core, lost, deadline)
  for (const chat of brokenChats(core)) await healBroken(core, chat, deadline)
}

/** Somebody speaks in a group of which this database knows nothing, as after a restore from a backup. */
export function noteLostGroup(core: Core, database: Database, entry: Entry): void {
  const isHealed = database.get('SELECT 1 FROM lost_group WHERE group_id = ? AND healed = 1', entry.group) !== undefined
  if (isHealed) reportLoss(core, database, { chat: privateChatId(entry.sender), speaker: entry.sender })
  database.run(
    'INSERT OR IGNORE INTO lost_group (group_id, speaker, ts) VALUES (?, ?, ?)',
    entry.group,
    entry.sender,
    entry.ts,
  )
}

async function healLost(core: Core, lost: LostGroup, deadline: Deadline): Promise<void> {
  const { group_id: group, speaker } = lost
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
    if (isPrivate) reportLoss(core, database, { chat: privateChatId(speaker), speaker })
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
       AND NOT EXISTS (SELECT 1 FROM lost_group WHERE lost_group.group_id = chat.group_id)`,
  )

async function healBroken(core: Core, { id, group }: BrokenChat, deadline: Deadline): Promise<void> {
  const row = findChat(core.store, id)
  const other = row && otherPerson(row)
  if (other) {
    await ensurePrivateChat(core, { account: other }, deadline)
    return await say(core, id, { body: { kind: 'hello' }, deadline })
  }
  await askToRejoin(core, { group, members: membersToAsk(core, id, group) }, deadline)
  // Asked once: whoever is asked keeps the wish until it is done.
  await core.store.write(database =>
    database.run(
      'INSERT OR REPLACE INTO lost_group (group_id, speaker, ts, healed) VALUES (?, ?, ?, 1)',
      group,
      core.own.id,
      core.clock.nowMs(),
    ),
  )
}

async function askToRejoin(
  core: Core,
  { group, members }: { group: GroupId; members: AccountId[] },
  deadline: Deadline,
): Promise<void> {
  for (const account of members) {
    const { id } = await ensurePrivateChat(core, { account }, deadline)
    await say(core, id, { body: { kind: 'rejoin', group }, deadline })
  }
}

async function say(
  core: Core,
  chat: ChatId,
  { body, deadline }: { body: { kind: 'hello' } | { kind: 'rejoin'; group: GroupId }; deadline: Deadline },
): Promise<void> {
  await sendDraft(core, chat, { draft: newDraft(core, body), deadline })
}

/** Who added this account first, then the admins. */
function membersToAsk(core: Core, chat: ChatId, group: GroupId): AccountId[] {
  const inviter = findGroup(core.store, group)?.inviter
  const rank = (member: { account_id: AccountId; admin: number }) =>
    member.account_id === inviter ? 0 : member.admin ? 1 : 2
  return membersOf(core.store, chat)
    .filter(member => member.account_id !== core.own.id && !member.leaving)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, ASKED_MAX)
    .map(member => member.account_id)
}
