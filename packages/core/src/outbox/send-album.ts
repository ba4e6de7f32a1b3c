// Sends an album: files that are shown together. Each is a message, and all of them carry one id.
import type { Message } from '@postern/bot-api/objects'
import {
  assertKept,
  type ChatId,
  concatBytes,
  contentLimits,
  Deadline,
  type TimeoutOption,
  toBase64Url,
  utf8,
} from '@postern/protocol'
import type { Core } from '../context.ts'
import { file } from '../kinds/file.ts'
import type { Idempotency } from '../storage/state/idempotency-keys.ts'
import { findEarlier } from './idempotency.ts'
import { type NewFile, sendFile } from './send-file.ts'

const ALBUM_ID_BYTES = 16

type AlbumSend = { files: readonly NewFile[]; within: TimeoutOption; idempotency?: Idempotency }

/**
 * All bytes are at the relay before the first message is sent. Under a key, a repetition continues after the last
 * message that was sent, with the same id.
 */
export async function sendAlbum(
  core: Core,
  chat: ChatId,
  { files, within, idempotency }: AlbumSend,
): Promise<Message[]> {
  const { albumFilesMax } = contentLimits
  assertKept('file', files.length > albumFilesMax ? `must be sent at most ${albumFilesMax} times` : undefined)
  for (const { draft: _, ...words } of files) file.check(core, chat, words)
  const album = newAlbumId(core, idempotency)
  const parts = files.map((asked, at) => ({ asked: { ...asked, album }, ...keyOfPart(idempotency, at) }))
  for (const part of parts) {
    const isSent = await wasSent(core, chat, { ...part, within })
    // Files that are left over by a failed upload would be an album with holes.
    if (!isSent) await part.asked.draft.uploaded()
  }
  const sent: Message[] = []
  for (const part of parts) sent.push(await sendFile(core, chat, { ...part, within }))
  return sent
}

async function wasSent(
  core: Core,
  chat: ChatId,
  { idempotency, within }: Pick<AlbumSend, 'idempotency' | 'within'>,
): Promise<boolean> {
  if (!idempotency) return false
  const deadline = new Deadline(core.clock, within)
  await core.link.whenOnline(deadline.leftMs())
  return (await findEarlier(core, chat, { given: idempotency, deadline }))?.kind === 'sent'
}

/** The key under which a file of an album is sent. A caller's key has no line break, so no other request has this one. */
export const albumPartKey = (key: string, at: number): string => (at === 0 ? key : `${key}\n${at}`)

const keyOfPart = (whole: Idempotency | undefined, at: number): Pick<AlbumSend, 'idempotency'> =>
  whole ? { idempotency: { key: albumPartKey(whole.key, at), request: whole.request } } : {}

/** The same for a repetition, of which nothing else is known after a kill. */
function newAlbumId({ provider, own }: Pick<Core, 'provider' | 'own'>, idempotency: Idempotency | undefined): string {
  const bytes = idempotency
    ? provider.sha256(concatBytes(utf8(`${own.id}\n${idempotency.key}\n`), idempotency.request))
    : provider.randomBytes(ALBUM_ID_BYTES)
  return toBase64Url(bytes.subarray(0, ALBUM_ID_BYTES))
}
