// One entry of the mailbox: what it is, whether it holds, and what it changes. The change is written in the group's lane.
import type { Notice } from '@postern/bot-api/events'
import {
  type Decrypted,
  decryptMessage,
  type GroupSession,
  isMlsError,
  MlsError,
  openDirect,
  rosterOf,
} from '@postern/mls'
import { type AccountId, CodedError, isCoded, type MessageId, messageIdFromHash } from '@postern/protocol'
import { type Entry, type EnvelopeHeader, readEnvelopeHeader } from '@postern/protocol/relay'
import { findChat, isInUse } from '../chats/chats.ts'
import { joinChat } from '../chats/join-chat.ts'
import { tellNotice } from '../chats/notices.ts'
import { RefusedWelcome } from '../chats/refused-welcome.ts'
import type { Core } from '../context.ts'
import { findGroup, ratchetChanges, saveRatchets } from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { noteLostGroup } from '../healing/heal-chats.ts'
import { personOf } from '../identity/people.ts'
import { receiveContent, receiveDirect } from '../inbox/receive.ts'
import { restoredCursor } from '../journal/progress.ts'
import { believableTs } from '../judge/believable-time.ts'
import type { Database } from '../storage/database.ts'
import type { Change } from '../storage/store.ts'
import { adoptPending, followCommit } from './follow-commit.ts'
import { refuseEntry, refuseWelcome } from './refuse-entry.ts'
import type { WriteEntry } from './write-entry.ts'

const nothing: Change<void> = () => {}

export async function applyEntry(core: Core, claimed: Entry, write: WriteEntry): Promise<void> {
  const machine = { nowMs: core.clock.nowMs(), reachedMs: core.passed.reachedMs() }
  const entry = { ...claimed, ts: believableTs(claimed.ts, machine) }
  if (entry.kind === 'welcome') return await applyWelcome(core, entry, write)
  const header = headerOf(entry)
  if (!core.groups.has(entry.group)) {
    core.log.warn({ kind: entry.kind, group: entry.group }, 'an entry of a group that is not known here')
    if (!header) return write(nothing)
    // The relay counts this account among the members: the keys were lost, and without a word others would talk to nobody.
    if (entry.sender === core.own.id) return write(nothing)
    write(database => noteLostGroup(core, database, entry))
    return core.poke()
  }
  if (core.groups.isKeyless(entry.group)) return write(database => passKeyless(core, database, entry))
  await core.groups.run(entry.group, async live => {
    const placed = { ...entry, ts: placeInTime(core, live, claimed) }
    if (header) return await applyEnvelope(core, live, { entry: placed, header, write })
    const error = new MlsError('mls-malformed', 'The entry is not what the relay says it is.')
    refuseEntry(core, live, { entry: placed, id: idOf(core, entry), write, error })
  })
}

/**
 * The account was made again without the keys of this group, which heals. What came before that is no loss that anybody need
 * be told of: of the whole history nothing is here.
 */
function passKeyless(core: Pick<Core, 'passed' | 'log'>, database: Database, entry: Entry): void {
  const group = findGroup(database, entry.group)
  const chat = group && findChat(database, group.chat_id)
  core.log.debug({ kind: entry.kind, group: entry.group, reason: 'its keys are lost' }, 'passed over')
  const isNews = entry.cursor > restoredCursor(database) && entry.kind === 'message' && isInUse(chat)
  if (!isNews) return
  const notice: Notice = { code: 'undecryptable', from: personOf(database, entry.sender) }
  tellNotice(core, database, { chat: chat.id, notice, ts: entry.ts })
}

/** A log's times rise, whatever the relay says: what was said later is not shown as earlier. */
function placeInTime({ order }: Pick<Core, 'order'>, live: LiveGroup, claimed: Entry): number {
  live.lastTs = order.place(claimed, live.lastTs)
  return live.lastTs
}

const idOf = (core: Pick<Core, 'provider'>, { payload }: Entry): MessageId =>
  messageIdFromHash(core.provider.sha256(payload))

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

async function applyWelcome(core: Core, entry: Entry, write: WriteEntry): Promise<void> {
  try {
    await joinChat(core, entry, (live, change) => write(change, live))
  } catch (error) {
    if (error instanceof RefusedWelcome) return refuseWelcome(core, { entry, write, error })
    if (!isMlsError(error)) throw error
    core.log.warn({ code: error.code, group: entry.group }, 'a welcome that does not hold was not followed')
    write(nothing)
  }
}

type Envelope = { entry: Entry; header: EnvelopeHeader; write: WriteEntry }

async function applyEnvelope(core: Core, live: LiveGroup, { entry, header, write }: Envelope): Promise<void> {
  const id = idOf(core, entry)
  if (entry.kind === 'direct') return await applyDirect(core, live, { entry, id, write })
  if (live.pending?.message === id) return adoptPending(core, live, write)
  if (header.epoch < epochOf(live)) {
    core.log.warn({ group: live.id, epoch: header.epoch }, 'an entry of a past epoch was sent again')
    return write(nothing)
  }
  try {
    const decrypted = await decryptMessage(live.session, entry.payload)
    if (decrypted.kind === 'commit') followCommit(core, live, { entry, write, commit: decrypted })
    else applyText(core, live, { entry, id, write, decrypted })
  } catch (error) {
    if (!isMlsError(error)) throw error
    refuseEntry(core, live, { entry, id, write, error })
  }
}

/** Losing one costs a receipt, so it heals nothing. */
async function applyDirect(
  core: Core,
  live: LiveGroup,
  { entry, id, write }: { entry: Entry; id: MessageId; write: WriteEntry },
): Promise<void> {
  try {
    const { plaintext, senderLeaf } = await openDirect(live.session, entry.payload)
    const sender = accountAt(live.session, senderLeaf)
    write(receiveDirect(core, { id, chat: live.chat, group: live.id, sender, ts: entry.ts, plaintext }), live)
  } catch (error) {
    if (!isMlsError(error)) throw error
    core.log.warn({ code: error.code, group: live.id }, 'a message to this account alone could not be read')
    write(nothing)
  }
}

type Text = Extract<Decrypted, { kind: 'application' }>
type TextEntry = { entry: Entry; id: MessageId; write: WriteEntry; decrypted: Text }

function applyText(core: Core, live: LiveGroup, { entry, id, write, decrypted }: TextEntry): void {
  const before = live.session
  const sender = accountAt(before, decrypted.senderLeaf)
  const { plaintext, skipped } = decrypted
  if (skipped > 0)
    core.log.warn(
      { group: live.id, sender, count: skipped },
      'messages are missing: the relay held them back, or their sender gave them up',
    )
  const changes = ratchetChanges(before, decrypted.session)
  const { ts } = entry
  const applyContent = receiveContent(core, { id, chat: live.chat, group: live.id, sender, ts, plaintext, skipped })
  live.session = decrypted.session
  write(database => {
    saveRatchets(database, live.id, changes)
    applyContent(database)
  }, live)
}

function accountAt(session: GroupSession, leaf: number): AccountId {
  const member = rosterOf(session).get(leaf)
  if (!member) throw new CodedError('internal')
  return member.accountId
}
