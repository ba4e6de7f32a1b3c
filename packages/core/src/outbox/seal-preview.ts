// The preview of a message for the notifications of members who are away: sealed with the message, for its epoch.
import { NONCE_BYTES } from '@postern/mls'
import { type ChatId, isAccountId, type MessageId, safeFileName } from '@postern/protocol'
import type { KnownBody } from '@postern/protocol/content'
import { encodePreview, previewContext, previewPlaintext } from '@postern/protocol/preview'
import { arePreviewsWanted } from '../chats/records/member-previews.ts'
import type { Core } from '../context.ts'
import { previewKey } from '../groups/derive-preview-key.ts'
import { epochOf, type LiveGroup } from '../groups/group-sessions.ts'
import { ownProfile } from '../identity/profile.ts'

type Previewed = { chat: ChatId; id: MessageId; body: KnownBody }

/**
 * Undefined unless another member wants previews. A message that is to disappear has none: the notification would stay,
 * and its key lives as long as the epoch.
 */
export async function sealPreview(
  core: Pick<Core, 'store' | 'own' | 'provider'>,
  live: LiveGroup,
  { chat, id, body }: Previewed,
): Promise<Uint8Array | undefined> {
  if (('timerMs' in body && body.timerMs) || !arePreviewsWanted(core.store, chat, core.own.id)) return undefined
  const from = isAccountId(chat) ? undefined : ownProfile(core.store).profile.name
  const plaintext = previewPlaintext(shownIn(body), from)
  if (!plaintext) return undefined
  const nonce = core.provider.randomBytes(NONCE_BYTES)
  const aad = previewContext({ group: live.id, sender: core.own.id, message: id })
  const sealed = await core.provider.aeadSeal({ key: await previewKey(live), nonce, aad }, plaintext)
  return encodePreview({ epoch: epochOf(live), nonce, sealed })
}

/** The fields that a receiver's notification shows. */
function shownIn(body: KnownBody): Parameters<typeof previewPlaintext>[0] {
  if (body.kind === 'text') return body
  if (body.kind === 'poll') return { poll: body }
  return body.kind === 'file' ? { text: body.text, file: { name: safeFileName(body.name) } } : {}
}
