// Turns a body into a ciphertext in the outbox: encrypted once, in the group's lane, and written before it is sent.
import { encryptMessage, type GroupSession, isGuessable, ownSends, signFarewell } from '@postern/mls'
import {
  type ChatId,
  CodedError,
  clientLimits,
  type GroupId,
  type MessageId,
  messageIdFromHash,
  SEND_ID_BYTES,
  type SendId,
  sendIdFromBytes,
  toBase64Url,
} from '@postern/protocol'
import { type Content, encodeContent, type Hello, type KnownBody, type Unsent } from '@postern/protocol/content'
import { returnedIn } from '../chats/members/remove-returned.ts'
import { needsRepair } from '../chats/members/repair-rosters.ts'
import type { Core } from '../context.ts'
import {
  findGroup,
  needsNewKeys,
  ratchetChanges,
  type StoredGroup,
  saveRatchets,
  wantRenewal,
} from '../groups/group-records.ts'
import type { LiveGroup } from '../groups/group-sessions.ts'
import { wantsPreviews } from '../identity/preview-wish.ts'
import { ownProfile, publishedVersion } from '../identity/profile.ts'
import { noteEncrypted } from '../journal/progress.ts'
import { attentionOf } from '../kinds/attention.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { type EntryMark, unmarked } from '../relay-link/append-marked.ts'
import { type Idempotency, noteKey } from '../storage/state/idempotency-keys.ts'
import { assertKeysMatchMembers } from './guard-send.ts'
import { insertWaiting, type OutboxRow } from './outbox.ts'
import { sealPreview } from './seal-preview.ts'
import { writableChat } from './writable-chat.ts'

/** Content to send: its send id stays the same however often it must be encrypted. */
export type ContentDraft = {
  send: SendId
  kind: KnownBody['kind']
  /**
   * Called in the group's lane for every encryption. So the values that a body takes from the chat (its timer, its
   * members) are those of the epoch in which the others read it. Undefined when it would change nothing by now; throws
   * when it may not be sent any more.
   */
  body: () => KnownBody | undefined
  token?: string
  idempotency?: Idempotency
}

/** `mark`: made once with the bytes, so that every try has the same. `waiting`: its row in the outbox. */
export type ComposedMessage = {
  id: MessageId
  group: GroupId
  wire: Uint8Array
  mark: EntryMark
  body: KnownBody
  waiting: OutboxRow
}

const newSendId = ({ provider }: Pick<Core, 'provider'>): SendId => sendIdFromBytes(provider.randomBytes(SEND_ID_BYTES))

/** For a body that takes nothing from the chat. */
export const newDraft = (core: Pick<Core, 'provider'>, body: KnownBody, token?: string): ContentDraft => ({
  send: newSendId(core),
  kind: body.kind,
  body: () => body,
  ...(token && { token }),
})

/** Throws the errors of encoding it. Includes a greeting, because the first message of a chat carries one. */
export function assertSayable(core: Pick<Core, 'provider' | 'store' | 'own'>, body: KnownBody): void {
  encodeContent({ send: newSendId(core), body, profileVersion: 0, hello: helloOf(core) })
}

const helloOf = ({ store, own }: Pick<Core, 'store' | 'own'>): Hello => ({
  name: ownProfile(store).profile.name,
  profileKey: own.profileKey,
  ...(wantsPreviews(store) && { previews: true }),
})

/**
 * `busy`: a commit of ours is in flight, and a message encrypted now would be refused. `untidy`: the group's keys or
 * its list at the relay come first. `guessable`: new keys come first, because removed members may know the current
 * ones. `moved`: the chat has another group by now. `needless`: it would change nothing.
 */
type NotComposed = 'busy' | 'untidy' | 'guessable' | 'moved' | 'needless'

type Composing = { chat: ChatId; group: GroupId; draft: ContentDraft }

export async function composeMessage(core: Core, composing: Composing): Promise<ComposedMessage | NotComposed> {
  const { chat, group, draft } = composing
  const { composed, saved } = await core.groups.run(group, async live => {
    const ready = await readInLane(core, live, composing)
    if (typeof ready === 'string') return { composed: ready, saved: Promise.resolve() }
    const { row, body } = ready
    const content = contentOf(core, row, { draft, body: await signedBody(live.session, body) })
    const { session, wire } = await encryptMessage(live.session, encodeContent(content))
    const id = messageIdFromHash(core.provider.sha256(wire))
    const mark = await markOf(core, live, { chat, id, body })
    const changes = ratchetChanges(live.session, session)
    live.session = session
    core.sending.add(id)
    const waiting: OutboxRow = {
      message_id: id,
      group_id: group,
      chat_id: chat,
      wire,
      send_id: draft.send,
      body: JSON.stringify(body),
      hello_version: content.hello ? content.profileVersion : null,
      hello_previews: content.hello?.previews ? 1 : 0,
      since_ms: core.clock.nowMs(),
    }
    const saved = core.groups.save(live, database => {
      saveRatchets(database, group, changes)
      noteEncrypted(database)
      if (isManyth(session)) wantRenewal(database, group, core.elapsed.nowMs())
      insertWaiting(database, waiting)
      if (draft.idempotency) noteKey(database, draft.idempotency, { subject: draft.send, nowMs: core.elapsed.nowMs() })
    })
    return { composed: { id, group, wire, mark, body, waiting }, saved }
  })
  try {
    await saved
  } catch (error) {
    if (typeof composed !== 'string') core.sending.delete(composed.id)
    throw error
  }
  return composed
}

/**
 * Reads everything that decides about the message. Read outside the lane, it could be from another epoch by the time of
 * the encryption. A commit may be read in between, and many concurrent senders would all have seen good keys.
 */
async function readInLane(
  core: Core,
  live: LiveGroup,
  { chat, group, draft }: Composing,
): Promise<{ row: StoredGroup; body: KnownBody } | NotComposed> {
  await core.groups.recorded(live)
  const row = findGroup(core.store, group)
  if (!row) throw new CodedError('group-unknown')
  if (writableChat(core, chat, draft).group_id !== group) return 'moved'
  // A removal is known here before it is written: without our leaf, the encryption would fail as a fault of our own.
  if (live.isBroken) throw new CodedError('chat-healing')
  if (live.pending) return 'busy'
  if (needsNewKeys(row) || needsRepair(core, group) || returnedIn(core, chat, live.session).length > 0) return 'untidy'
  if (isGuessable(live.session)) return 'guessable'
  await assertKeysMatchMembers(core, live, chat)
  const body = draft.body()
  return body ? { row, body } : 'needless'
}

/** Only a message for attention has a preview. */
async function markOf(
  core: Core,
  live: LiveGroup,
  said: { chat: ChatId; id: MessageId; body: KnownBody },
): Promise<EntryMark> {
  const attention = attentionOf(core, said.chat, said.body)
  return attention === 'none' ? unmarked : { attention, preview: await sealPreview(core, live, said) }
}

/** A farewell is signed with the current keys: with older ones nobody could act on it. */
async function signedBody(session: GroupSession, body: KnownBody): Promise<KnownBody> {
  if (body.kind !== 'leave') return body
  return { ...body, proof: toBase64Url(await signFarewell(session.context, session.state)) }
}

/** The admin of a group sees who asks for a place in it. */
const isIntroduction = ({ kind }: KnownBody): boolean => kind === 'hello' || kind === 'join-ask'

type Describing = Pick<Core, 'store' | 'own' | 'sendSlots'>

type Drafted = { draft: ContentDraft; body: KnownBody }

function contentOf(core: Describing, row: StoredGroup, { draft, body }: Drafted): Content & { body: KnownBody } {
  // An account that declines a stranger's group, and so leaves it, does not disclose its name there.
  const isGreeting = row.needs_hello !== 0 && !isBetweenClients(body) && body.kind !== 'leave'
  const hello: Hello | undefined =
    isGreeting || isIntroduction(body) || draft.token
      ? { ...helloOf(core), ...(draft.token && { token: draft.token }) }
      : undefined
  const unsent = unsentOf(core, row)
  return {
    send: draft.send,
    profileVersion: publishedVersion(core.store),
    body,
    ...(hello && { hello }),
    ...(unsent && { unsent }),
  }
}

/** With this, a member that misses a message of ours can tell whether the relay withheld it. */
function unsentOf({ sendSlots }: Pick<Core, 'sendSlots'>, row: StoredGroup): Unsent | undefined {
  // The message that is encrypted now already has its slot.
  const waiting = sendSlots.reserved(row.id) - 1
  return row.withdrawn > 0 || waiting > 0 ? { gaveUp: row.withdrawn, waiting: Math.max(0, waiting) } : undefined
}

const isManyth = (session: GroupSession): boolean => ownSends(session) % clientLimits.renewKeysAfterSends === 0
