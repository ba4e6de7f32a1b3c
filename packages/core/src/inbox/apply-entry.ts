// Applies one entry of the mailbox: what it is, whether it is valid, and what it changes.
// The change is written in the group's lane.
import type { Notice } from '@postern/bot-api/events'
import {
  type DecryptedMessage,
  decryptMessage,
  type GroupSession,
  isFarewell,
  isMlsError,
  MlsError,
  openDirect,
  rosterOf,
} from '@postern/mls'
import {
  type AccountId,
  CodedError,
  fromBase64Url,
  isCoded,
  type MessageId,
  messageIdFromHash,
} from '@postern/protocol'
import { type Content, decodeContent } from '@postern/protocol/content'
import { type EnvelopeHeader, type MailboxEntry, readEnvelopeHeader } from '@postern/protocol/relay'
import { emitNotice } from '../chats/notices.ts'
import { joinChat } from '../chats/opening/join-chat.ts'
import { findChat, isInUse } from '../chats/records/chats.ts'
import { RefusedWelcome } from '../chats/records/refused-welcome.ts'
import { keysLost, logUnreadable } from '../chats/records/unreadable.ts'
import type { Core } from '../context.ts'
import { findGroup, ratchetChanges, saveRatchets } from '../groups/group-records.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { noteLostGroup } from '../healing/heal-lost-group.ts'
import { doubtRelay } from '../healing/relay-doubts.ts'
import { personOf } from '../identity/people.ts'
import { receiveContent, receiveDirect } from '../inbox/receive.ts'
import { restoredCursor } from '../journal/progress.ts'
import { believableTs } from '../judge/believable-time.ts'
import type { Database } from '../storage/database.ts'
import type { DatabaseChange } from '../storage/transactions/store.ts'
import { adoptPending, followCommit } from './follow-commit.ts'
import { refuseEntry, refuseWelcome, unreadableOf } from './refuse-entry.ts'
import type { WriteEntry } from './write-entry.ts'

const nothing: DatabaseChange<void> = () => {}

export async function applyEntry(core: Core, claimed: MailboxEntry, write: WriteEntry): Promise<void> {
  const machine = { nowMs: core.clock.nowMs(), reachedMs: core.elapsed.reachedMs() }
  const entry = { ...claimed, ts: believableTs(claimed.ts, machine) }
  if (entry.kind === 'welcome') return await applyWelcome(core, entry, write)
  const header = headerOf(entry)
  if (!core.groups.has(entry.group)) {
    core.log.warn({ kind: entry.kind, group: entry.group }, 'entry of an unknown group ignored')
    if (!header) return write(nothing)
    // The relay counts this account as a member: the keys were lost,
    // and without a request the others would talk to nobody.
    if (entry.sender === core.own.id) return write(nothing)
    write(database => noteLostGroup(core, database, entry))
    return core.wakeChores()
  }
  if (core.groups.isKeyless(entry.group)) return write(database => passKeyless(core, database, entry))
  await core.groups.run(entry.group, async live => {
    const placed = { ...entry, ts: placeInTime(core, live, claimed) }
    if (header) return await applyEnvelope(core, live, { entry: placed, header, write })
    const error = new MlsError('mls-malformed', 'The entry is not what the relay says it is.')
    refuseEntry(core, live, { entry: placed, id: idOf(core, entry), epoch: undefined, write, error })
  })
}

/**
 * The account was rebuilt without the keys of this group, which heals. Earlier entries are not reported as lost: the
 * whole history is missing here.
 */
function passKeyless(core: Pick<Core, 'elapsed' | 'log'>, database: Database, entry: MailboxEntry): void {
  const group = findGroup(database, entry.group)
  const chat = group && findChat(database, group.chat_id)
  core.log.debug({ kind: entry.kind, group: entry.group, reason: 'its keys are lost' }, 'ignored')
  const isNews = entry.cursor > restoredCursor(database) && entry.kind === 'message' && isInUse(chat)
  if (!isNews) return
  logUnreadable(core.log, { ...keysLost, chat: chat.id, group: entry.group, sender: entry.sender, kind: entry.kind })
  const notice: Notice = { code: 'undecryptable', from: personOf(database, entry.sender) }
  emitNotice(core, database, { chat: chat.id, notice, ts: entry.ts })
}

/** The times of a log rise, whatever the relay says: a later message is not shown as earlier. */
function placeInTime({ order }: Pick<Core, 'order'>, live: LiveGroup, claimed: MailboxEntry): number {
  live.lastTs = order.place(claimed, live.lastTs)
  return live.lastTs
}

const idOf = (core: Pick<Core, 'provider'>, { payload }: MailboxEntry): MessageId =>
  messageIdFromHash(core.provider.sha256(payload))

/** Undefined when the relay's label and the envelope do not agree. */
function headerOf(entry: MailboxEntry): EnvelopeHeader | undefined {
  try {
    const header = readEnvelopeHeader(entry.payload)
    const kind = entry.kind === 'leave' ? 'message' : entry.kind
    return header.group === entry.group && header.kind === kind ? header : undefined
  } catch (error) {
    if (isCoded(error)) return undefined
    throw error
  }
}

async function applyWelcome(core: Core, entry: MailboxEntry, write: WriteEntry): Promise<void> {
  try {
    await joinChat(core, entry, (live, change) => write(change, live))
  } catch (error) {
    if (error instanceof RefusedWelcome) return refuseWelcome(core, { entry, write, error })
    if (!isMlsError(error)) throw error
    core.log.warn({ code: error.code, group: entry.group }, 'invalid welcome ignored')
    write(nothing)
  }
}

type Envelope = { entry: MailboxEntry; header: EnvelopeHeader; write: WriteEntry }

async function applyEnvelope(core: Core, live: LiveGroup, { entry, header, write }: Envelope): Promise<void> {
  const id = idOf(core, entry)
  if (entry.kind === 'direct') return await applyDirect(core, live, { entry, id, header, write })
  if (live.pending?.message === id) return adoptPending(core, live, write)
  if (header.epoch < epochOf(live)) {
    core.log.warn({ group: live.id, epoch: header.epoch }, 'entry of a past epoch repeated')
    write(nothing)
    return doubtRelay(core, live.chat, entry)
  }
  try {
    const decrypted = await decryptMessage(live.session, entry.payload)
    assertSentBy(entry, signerOf(live.session, decrypted))
    if (decrypted.kind === 'commit') followCommit(core, live, { entry, write, commit: decrypted })
    else await applyText(core, live, { entry, id, write, decrypted })
  } catch (error) {
    if (!isMlsError(error)) throw error
    refuseEntry(core, live, { entry, id, epoch: header.epoch, write, error })
  }
}

/** Losing one only costs a receipt, so it starts no healing. */
async function applyDirect(
  core: Core,
  live: LiveGroup,
  { entry, id, header, write }: Envelope & { id: MessageId },
): Promise<void> {
  try {
    const { plaintext, senderLeaf } = await openDirect(live.session, entry.payload)
    const sender = accountAt(live.session, senderLeaf)
    assertSentBy(entry, sender)
    const content = decodeContent(plaintext)
    write(receiveDirect(core, { id, chat: live.chat, group: live.id, sender, ts: entry.ts, content }), live)
  } catch (error) {
    if (!isMlsError(error)) throw error
    logUnreadable(core.log, unreadableOf(live, { entry, id, epoch: header.epoch, error }))
    write(nothing)
  }
}

type Text = Extract<DecryptedMessage, { kind: 'application' }>
type TextEntry = { entry: MailboxEntry; id: MessageId; write: WriteEntry; decrypted: Text }

async function applyText(core: Core, live: LiveGroup, { entry, id, write, decrypted }: TextEntry): Promise<void> {
  const before = live.session
  const { plaintext, senderLeaf, skipped } = decrypted
  const sender = accountAt(before, senderLeaf)
  const content = decodeContent(plaintext)
  const farewell = await provenFarewell(before, { content, leaf: senderLeaf })
  if (skipped > 0)
    core.log.warn(
      { group: live.id, sender, count: skipped },
      'messages missing: withheld by the relay or given up by the sender',
    )
  const changes = ratchetChanges(before, decrypted.session)
  const { ts } = entry
  const place = { id, chat: live.chat, group: live.id, sender, ts }
  const applyContent = receiveContent(core, { ...place, content, skipped, farewell })
  live.session = decrypted.session
  write(database => {
    saveRatchets(database, live.id, changes)
    applyContent(database)
  }, live)
}

async function provenFarewell(
  { context, state }: GroupSession,
  { content, leaf }: { content: Content | undefined; leaf: number },
): Promise<Uint8Array | undefined> {
  if (content?.body.kind !== 'leave' || !content.body.proof) return undefined
  const proof = fromBase64Url(content.body.proof)
  return proof && (await isFarewell(context, state, { leaf, proof })) ? proof : undefined
}

const signerOf = (before: GroupSession, decrypted: DecryptedMessage): AccountId =>
  decrypted.kind === 'commit' ? decrypted.committer : accountAt(before, decrypted.senderLeaf)

/**
 * A message that was signed with copied keys comes from another account.
 * An honest relay shows this, and the message is not followed.
 */
function assertSentBy({ sender }: MailboxEntry, signer: AccountId): void {
  if (sender !== signer) throw new MlsError('mls-undecryptable', 'The relay names another sender than the signer.')
}

function accountAt(session: GroupSession, leaf: number): AccountId {
  const member = rosterOf(session).get(leaf)
  if (!member) throw new CodedError('internal')
  return member.accountId
}
