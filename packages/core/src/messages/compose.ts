// From a body to a ciphertext that waits in the outbox: encrypted once, in the group's lane, and written before it is sent.
import {
  type ChatId,
  CodedError,
  type GroupId,
  type MessageId,
  messageIdFromHash,
  SEND_ID_BYTES,
  type SendId,
  sendIdFromBytes,
} from '@postern/protocol'
import { type Content, encodeContent, type Hello, type KnownBody } from '@postern/protocol/content'
import { type Idempotency, noteKey } from '../chats/sent-keys.ts'
import type { Core } from '../context.ts'
import { findGroup, type GroupRow, needsNewKeys, ratchetChanges, saveRatchets } from '../groups/group-records.ts'
import { ownProfile, publishedVersion } from '../identity/profile.ts'
import { noteEncrypted } from '../journal/progress.ts'
import { encryptMessage } from '../mls/group-session.ts'

/** What is to be said: the same send id however often it must be encrypted. */
export type Draft = { send: SendId; body: KnownBody; token?: string; idempotency?: Idempotency }

export type Composed = { id: MessageId; group: GroupId; wire: Uint8Array; saysHello: boolean }

export const newDraft = (core: Core, body: KnownBody, token?: string): Draft => ({
  send: sendIdFromBytes(core.provider.randomBytes(SEND_ID_BYTES)),
  body,
  ...(token && { token }),
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
    if (live.pending) return { composed: 'busy' as const, saved: Promise.resolve() }
    // Looked at here, one after the other: many that come at once would all have seen good keys before.
    if (needsNewKeys(row)) return { composed: 'stale' as const, saved: Promise.resolve() }
    const content = contentOf(core, row, draft)
    const { session, wire } = await encryptMessage(live.session, encodeContent(content))
    const id = messageIdFromHash(core.provider.sha256(wire))
    const changes = ratchetChanges(live.session, session)
    live.session = session
    core.sending.add(id)
    const saved = core.groups.save(live, database => {
      saveRatchets(database, group, changes)
      noteEncrypted(database)
      database.run(
        'INSERT INTO outbox (message_id, group_id, chat_id, wire, send_id, body) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        group,
        chat,
        wire,
        draft.send,
        JSON.stringify(draft.body),
      )
      if (draft.idempotency) noteKey(database, draft.idempotency, { subject: draft.send, nowMs: core.clock.nowMs() })
    })
    return { composed: { id, group, wire, saysHello: content.hello !== undefined }, saved }
  })
  try {
    await saved
  } catch (error) {
    if (typeof composed !== 'string') core.sending.delete(composed.id)
    throw error
  }
  return composed
}

function contentOf(core: Core, row: GroupRow, draft: Draft): Content & { body: KnownBody } {
  const hello: Hello | undefined =
    row.needs_hello || draft.body.kind === 'hello' || draft.token
      ? {
          name: ownProfile(core.store).profile.name,
          profileKey: core.own.profileKey,
          ...(draft.token && { token: draft.token }),
        }
      : undefined
  return { send: draft.send, profileVersion: publishedVersion(core.store), body: draft.body, ...(hello && { hello }) }
}
