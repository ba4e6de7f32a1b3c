// From a body to a ciphertext that waits in the outbox: encrypted once, in the group's lane, and written before it is sent.
import { encryptMessage, type GroupSession, ownSends, signFarewell } from '@postern/mls'
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
import type { Core } from '../context.ts'
import {
  findGroup,
  type GroupRow,
  needsNewKeys,
  ratchetChanges,
  saveRatchets,
  wantRenewal,
} from '../groups/group-records.ts'
import { ownProfile, publishedVersion } from '../identity/profile.ts'
import { noteEncrypted } from '../journal/progress.ts'
import { isBetweenClients } from '../kinds/kinds.ts'
import { type Idempotency, noteKey } from '../storage/sent-keys.ts'
import { insertWaiting, type OutboxRow } from './outbox.ts'
import { assertKeysOfShown } from './wall.ts'

/** What is to be said: the same send id however often it must be encrypted. */
export type Draft = { send: SendId; body: KnownBody; token?: string; idempotency?: Idempotency }

/** `waiting`: as it stands in the outbox. */
export type Composed = { id: MessageId; group: GroupId; wire: Uint8Array; waiting: OutboxRow }

export const newDraft = ({ provider }: Pick<Core, 'provider'>, body: KnownBody, token?: string): Draft => ({
  send: sendIdFromBytes(provider.randomBytes(SEND_ID_BYTES)),
  body,
  ...(token && { token }),
})

/** Throws what its encoding would throw. With a greeting, because the first message of a chat carries one. */
export function assertSayable(core: Pick<Core, 'provider' | 'store' | 'own'>, body: KnownBody): void {
  encodeContent({ ...newDraft(core, body), profileVersion: 0, hello: helloOf(core) })
}

const helloOf = ({ store, own }: Pick<Core, 'store' | 'own'>): Hello => ({
  name: ownProfile(store).profile.name,
  profileKey: own.profileKey,
})

/** `busy`: a commit of ours is under way, and what is encrypted now would be refused. `stale`: new keys come first. */
type NotYet = 'busy' | 'stale'

export async function composeMessage(
  core: Core,
  { chat, group, draft }: { chat: ChatId; group: GroupId; draft: Draft },
): Promise<Composed | NotYet> {
  const { composed, saved } = await core.groups.run(group, async live => {
    const row = findGroup(core.store, group)
    if (!row) throw new CodedError('group-unknown')
    // A removal is known here before it is written: without our leaf the encryption would fail as a fault of our own.
    if (live.isBroken) throw new CodedError('chat-healing')
    if (live.pending) return { composed: 'busy' as const, saved: Promise.resolve() }
    // Looked at in the group's lane: many senders at once would all have seen good keys before it.
    if (needsNewKeys(row)) return { composed: 'stale' as const, saved: Promise.resolve() }
    await assertKeysOfShown(core, live, chat)
    const content = contentOf(core, row, await signedDraft(live.session, draft))
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
      body: JSON.stringify(draft.body),
      hello_version: content.hello ? content.profileVersion : null,
      since_ms: core.clock.nowMs(),
    }
    const saved = core.groups.save(live, database => {
      saveRatchets(database, group, changes)
      noteEncrypted(database)
      if (isManyth(session)) wantRenewal(database, group, core.passed.nowMs())
      insertWaiting(database, waiting)
      if (draft.idempotency) noteKey(database, draft.idempotency, { subject: draft.send, nowMs: core.passed.nowMs() })
    })
    return { composed: { id, group, wire, waiting }, saved }
  })
  try {
    await saved
  } catch (error) {
    if (typeof composed !== 'string') core.sending.delete(composed.id)
    throw error
  }
  return composed
}

/** A farewell is signed with the keys of the moment: with older ones nobody could act on it. */
async function signedDraft(session: GroupSession, draft: Draft): Promise<Draft> {
  if (draft.body.kind !== 'leave') return draft
  return { ...draft, body: { ...draft.body, proof: toBase64Url(await signFarewell(session.context, session.state)) } }
}

type Describing = Pick<Core, 'store' | 'own' | 'sendSlots'>

function contentOf(core: Describing, row: GroupRow, draft: Draft): Content & { body: KnownBody } {
  // Who declines a stranger's group, and so leaves it, tells nobody there how it is called.
  const isGreeting = row.needs_hello !== 0 && !isBetweenClients(draft.body) && draft.body.kind !== 'leave'
  const hello: Hello | undefined =
    isGreeting || draft.body.kind === 'hello' || draft.token
      ? { ...helloOf(core), ...(draft.token && { token: draft.token }) }
      : undefined
  const unsent = unsentOf(core, row)
  return {
    send: draft.send,
    profileVersion: publishedVersion(core.store),
    body: draft.body,
    ...(hello && { hello }),
    ...(unsent && { unsent }),
  }
}

/** By this a member who misses a message of ours can tell whether the relay held it back. */
function unsentOf({ sendSlots }: Pick<Core, 'sendSlots'>, row: GroupRow): Unsent | undefined {
  // The one that is encrypted now has its slot already.
  const waiting = sendSlots.reserved(row.id) - 1
  return row.withdrawn > 0 || waiting > 0 ? { gaveUp: row.withdrawn, waiting: Math.max(0, waiting) } : undefined
}

const isManyth = (session: GroupSession): boolean => ownSends(session) % clientLimits.renewKeysAfterSends === 0
