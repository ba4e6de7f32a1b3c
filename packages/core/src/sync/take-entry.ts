// One entry of the mailbox: what it is, whether it holds, and what it changes. The change is recorded in the group's lane.
import { type AccountId, CodedError, isCoded, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type Entry, type EnvelopeHeader, readEnvelopeHeader } from '@postern/protocol/relay'
import { applyCommit, applyRemoval } from '../chats/apply-commit.ts'
import { findChat } from '../chats/chats.ts'
import { joinChat } from '../chats/join-chat.ts'
import { forgetRejoin } from '../chats/rejoin.ts'
import type { Core } from '../context.ts'
import { accountsIn } from '../groups/commit-group.ts'
import {
  deletePending,
  noteUpdated,
  ratchetChanges,
  saveEpoch,
  saveRatchets,
  setGroupStatus,
} from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { personOf } from '../identity/people.ts'
import { appendEvent } from '../journal/journal.ts'
import { receiveContent, receiveDirect } from '../messages/receive.ts'
import { openDirect } from '../mls/direct.ts'
import { type Decrypted, decryptMessage, type GroupSession, rosterOf, settingsOf } from '../mls/group-session.ts'
import { isMlsError, MlsError } from '../mls/mls-error.ts'
import type { Change } from '../storage/store.ts'
import { noteLostGroup } from './heal-chats.ts'

/** Puts a change and the cursor behind its entry into one transaction. Called once for each entry. */
export type Record = (change: Change<void>, live?: LiveGroup) => void

const nothing: Change<void> = () => {}

export async function takeEntry(core: Core, entry: Entry, record: Record): Promise<void> {
  if (entry.kind === 'welcome') return await takeWelcome(core, entry, record)
  const header = headerOf(entry)
  // Messages to one member carry no content that this version knows.
  if (!core.groups.has(entry.group)) {
    core.log.warn({ kind: entry.kind, group: entry.group }, 'an entry of a group that is not known here')
    if (!header) return record(nothing)
    // The relay counts this account among the members: the keys were lost, and without a word others would talk to nobody.
    if (entry.sender === core.own.id) return record(nothing)
    record(database => noteLostGroup(core, database, entry))
    return core.poke()
  }
  await core.groups.run(entry.group, async live => {
    if (header) return await takeEnvelope(core, live, { entry, header, record })
    const error = new MlsError('mls-malformed', 'The entry is not what the relay says it is.')
    refuse(core, live, { entry, id: idOf(core, entry), record, error })
  })
}

const idOf = (core: Core, { payload }: Entry): MessageId => messageIdFromHash(core.provider.sha256(payload))

/** Undefined when the relay's label and the envelope do not agree. */
function headerOf(entry: Entry): EnvelopeHeader | undefined {
  try {
    const header = readEnvelopeHeader(entry.payload)
    const kind = entry.kind === 'leave' ? 'message' : entry.kind
    return header.group === entry.group && header.kind === kind ? header : undefined
  } catch (error) {
    if (isCoded(error)) return undefined
    throw error
  }
}

async function takeWelcome(core: Core, entry: Entry, record: Record): Promise<void> {
  try {
    await joinChat(core, entry, (live, change) => record(change, live))
  } catch (error) {
    if (!isMlsError(error)) throw error
    core.log.warn({ code: error.code, group: entry.group }, 'a welcome that does not hold was not followed')
    record(nothing)
  }
}

type Envelope = { entry: Entry; header: EnvelopeHeader; record: Record }

async function takeEnvelope(core: Core, live: LiveGroup, { entry, header, record }: Envelope): Promise<void> {
  const id = idOf(core, entry)
  if (entry.kind === 'direct') return await takeDirect(core, live, { entry, id, record })
  if (live.pending?.message === id) return adoptPending(core, live, record)
  if (header.epoch < epochOf(live)) {
    core.log.warn({ group: live.id, epoch: header.epoch }, 'an entry of a past epoch was sent again')
    return record(nothing)
  }
  try {
    takeDecrypted(core, live, { entry, id, record, decrypted: await decryptMessage(live.session, entry.payload) })
  } catch (error) {
    if (!isMlsError(error)) throw error
    refuse(core, live, { entry, id, record, error })
  }
}

/** Losing one costs a receipt, so it heals nothing. */
async function takeDirect(
  core: Core,
  live: LiveGroup,
  { entry, id, record }: { entry: Entry; id: MessageId; record: Record },
): Promise<void> {
  try {
    const { plaintext, senderLeaf } = await openDirect(live.session, entry.payload)
    const sender = accountAt(live.session, senderLeaf)
    record(receiveDirect(core, { id, chat: live.chat, group: live.id, sender, ts: entry.ts, plaintext }), live)
  } catch (error) {
    if (!isMlsError(error)) throw error
    core.log.warn({ code: error.code, group: live.id }, 'a message to this account alone could not be read')
    record(nothing)
  }
}

type DecryptedEntry = { entry: Entry; id: MessageId; record: Record; decrypted: Decrypted }

function takeDecrypted(core: Core, live: LiveGroup, { entry, id, record, decrypted }: DecryptedEntry): void {
  const before = live.session
  if (decrypted.kind === 'commit') return takeCommit(core, live, { record, commit: decrypted })
  const sender = accountAt(before, decrypted.senderLeaf)
  if (decrypted.skipped > 0)
    core.log.warn(
      { group: live.id, sender, count: decrypted.skipped },
      'messages are missing: the relay held them back, or their sender gave them up',
    )
  const { plaintext } = decrypted
  const changes = ratchetChanges(before, decrypted.session)
  const takeContent = receiveContent(core, { id, chat: live.chat, group: live.id, sender, ts: entry.ts, plaintext })
  live.session = decrypted.session
  record(database => {
    saveRatchets(database, live.id, changes)
    takeContent(database)
  }, live)
}

type CommitEntry = { record: Record; commit: Extract<Decrypted, { kind: 'commit' }> }

function takeCommit(core: Core, live: LiveGroup, { record, commit }: CommitEntry): void {
  const committer = accountAt(live.session, commit.committerLeaf)
  const { session } = commit
  live.session = session
  const { chat, id } = live
  if (commit.removedSelf) {
    live.isBroken = true
    return record(database => {
      setGroupStatus(database, id, 'broken')
      if (commit.readdedSelf) return
      applyRemoval(core, database, { chat, committer })
    }, live)
  }
  // Followed is not lost: with the records it is open again, and nothing could be changed in it before the next start.
  live.isBroken = false
  const applied = { chat, committer, accounts: accountsIn(session), settings: settingsOf(session) }
  const joined = commit.addedLeaves.map(leaf => accountAt(session, leaf))
  record(database => {
    saveEpoch(database, id, { session, hasNewMembers: joined.length > 0 })
    for (const account of joined) forgetRejoin(database, { group: id, account })
    if (isCurrent(database, live)) applyCommit(core, database, applied)
  }, live)
}

/** Our own commit has reached its place: everything before it was read with the keys before it. */
function adoptPending(core: Core, live: LiveGroup, record: Record): void {
  if (!live.pending) throw new CodedError('internal')
  const { next: session, add } = live.pending
  live.session = session
  live.pending = undefined
  live.isBroken = false
  const applied = {
    chat: live.chat,
    committer: core.own.id,
    accounts: accountsIn(session),
    settings: settingsOf(session),
  }
  record(database => {
    saveEpoch(database, live.id, { session, hasNewMembers: add.length > 0 })
    noteUpdated(database, live.id)
    deletePending(database, live.id)
    for (const account of add) forgetRejoin(database, { group: live.id, account })
    if (isCurrent(database, live)) applyCommit(core, database, applied)
  }, live)
}

type Refused = { entry: Entry; id: MessageId; record: Record; error: MlsError }

/** Never silent: an unreadable message becomes a notice; after a commit that cannot be followed the group is replaced. */
function refuse(core: Core, live: LiveGroup, { entry, id, record, error }: Refused): void {
  core.log.warn({ code: error.code, group: live.id, kind: entry.kind }, 'an entry could not be read')
  const isRepeat = core.store.get('SELECT 1 FROM message WHERE id = ?', id) !== undefined
  // Our own commit without its keys is no harmless echo: this database is older than the group.
  const isEcho = error.code === 'mls-own-message' && entry.kind !== 'commit'
  if (isRepeat || isEcho || error.code === 'mls-removed') return record(nothing)
  const isLost = entry.kind === 'commit' || error.code === 'mls-wrong-epoch'
  live.isBroken ||= isLost
  record(database => {
    if (isLost) setGroupStatus(database, live.id, 'broken')
    const chat = findChat(database, live.chat)
    if (chat?.visible !== 1 || chat.state !== 'active') return
    const notice = { code: 'undecryptable' as const, from: personOf(database, entry.sender) }
    appendEvent(core, database, { type: 'notice', chat_id: chat.id, notice })
  }, live)
  if (isLost) core.poke()
}

const isCurrent = (database: Parameters<Change<void>>[0], live: LiveGroup): boolean =>
  findChat(database, live.chat)?.group_id === live.id

function accountAt(session: GroupSession, leaf: number): AccountId {
  const member = rosterOf(session).get(leaf)
  if (!member) throw new CodedError('internal')
  return member.accountId
}
