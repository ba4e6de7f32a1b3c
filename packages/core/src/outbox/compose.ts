// From a body to a ciphertext that waits in the outbox: encrypted once, in the group's lane, and written before it is sent.
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
import { ownProfile, publishedVersion } from '../identity/profile.ts'
import { noteEncrypted } from '../journal/progress.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { type Idempotency, noteKey } from '../storage/state/idempotency-keys.ts'
import { assertKeysMatchMembers } from './guard-send.ts'
import { insertWaiting, type OutboxRow } from './outbox.ts'
import { writableChat } from './writable-chat.ts'

/** What is to be said: the same send id however often it must be encrypted. */
export type ContentDraft = {
  send: SendId
  kind: KnownBody['kind']
  /**
   * Called in the group's lane for every encryption: what a body takes from the chat (its timer, its members) is that of the
   * epoch in which the others read it. Undefined when it would change nothing by now; throws when it may not be said any more.
   */
  body: () => KnownBody | undefined
  token?: string
  idempotency?: Idempotency
}

/** `waiting`: as it stands in the outbox. */
export type ComposedMessage = { id: MessageId; group: GroupId; wire: Uint8Array; body: KnownBody; waiting: OutboxRow }

const newSendId = ({ provider }: Pick<Core, 'provider'>): SendId => sendIdFromBytes(provider.randomBytes(SEND_ID_BYTES))

/** For a body that takes nothing from the chat. */
export const newDraft = (core: Pick<Core, 'provider'>, body: KnownBody, token?: string): ContentDraft => ({
  send: newSendId(core),
  kind: body.kind,
  body: () => body,
  ...(token && { token }),
})

/** Throws what its encoding would throw. With a greeting, because the first message of a chat carries one. */
export function assertSayable(core: Pick<Core, 'provider' | 'store' | 'own'>, body: KnownBody): void {
  encodeContent({ send: newSendId(core), body, profileVersion: 0, hello: helloOf(core) })
}

const helloOf = ({ store, own }: Pick<Core, 'store' | 'own'>): Hello => ({
  name: ownProfile(store).profile.name,
  profileKey: own.profileKey,
})

/**
 * `busy`: a commit of ours is under way, and what is encrypted now would be refused. `untidy`: the group's keys or its list at
 * the relay come first. `guessable`: new keys come first, because removed members may know the current ones. `moved`: the chat
 * has another group by now. `needless`: it would change nothing.
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
      since_ms: core.clock.nowMs(),
    }
    const saved = core.groups.save(live, database => {
      saveRatchets(database, group, changes)
      noteEncrypted(database)
      if (isManyth(session)) wantRenewal(database, group, core.elapsed.nowMs())
      insertWaiting(database, waiting)
      if (draft.idempotency) noteKey(database, draft.idempotency, { subject: draft.send, nowMs: core.elapsed.nowMs() })
    })
    return { composed: { id, group, wire, body, waiting }, saved }
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
 * Everything that decides whether and what is said. Read before the lane, it would be that of another epoch by the time it is
 * encrypted: a commit may be read in between, and many senders at once would all have seen good keys.
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
  // A removal is known here before it is written: without our leaf the encryption would fail as a fault of our own.
  if (live.isBroken) throw new CodedError('chat-healing')
  if (live.pending) return 'busy'
  if (needsNewKeys(row) || needsRepair(core, group)) return 'untidy'
  if (isGuessable(live.session)) return 'guessable'
  await assertKeysMatchMembers(core, live, chat)
  const body = draft.body()
  return body ? { row, body } : 'needless'
}

/** A farewell is signed with the keys of the moment: with older ones nobody could act on it. */
async function signedBody(session: GroupSession, body: KnownBody): Promise<KnownBody> {
  if (body.kind !== 'leave') return body
  return { ...body, proof: toBase64Url(await signFarewell(session.context, session.state)) }
}

type Describing = Pick<Core, 'store' | 'own' | 'sendSlots'>

type Drafted = { draft: ContentDraft; body: KnownBody }

function contentOf(core: Describing, row: StoredGroup, { draft, body }: Drafted): Content & { body: KnownBody } {
  // Who declines a stranger's group, and so leaves it, tells nobody there how it is called.
  const isGreeting = row.needs_hello !== 0 && !isBetweenClients(body) && body.kind !== 'leave'
  const hello: Hello | undefined =
    isGreeting || body.kind === 'hello' || draft.token
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

/** By this a member who misses a message of ours can tell whether the relay held it back. */
function unsentOf({ sendSlots }: Pick<Core, 'sendSlots'>, row: StoredGroup): Unsent | undefined {
  // The one that is encrypted now has its slot already.
  const waiting = sendSlots.reserved(row.id) - 1
  return row.withdrawn > 0 || waiting > 0 ? { gaveUp: row.withdrawn, waiting: Math.max(0, waiting) } : undefined
}

const isManyth = (session: GroupSession): boolean => ownSends(session) % clientLimits.renewKeysAfterSends === 0
