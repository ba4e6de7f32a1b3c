// Sending a file: its bytes are at the relay before the message that names them, and are deleted if it never goes out.
import type { Message } from '@postern/bot-api/objects'
import {
  type ChatId,
  CodedError,
  Deadline,
  isAccountId,
  type MessageId,
  toBase64Url,
  type Within,
} from '@postern/protocol'
import type { FileBody, Mention } from '@postern/protocol/content'
import { findChat } from '../chats/chats.ts'
import type { Core } from '../context.ts'
import type { FileSpool, StoredFile } from '../files/files.ts'
import { type Idempotency, isKeyKnown } from '../storage/sent-keys.ts'
import { findEarlier } from './idempotency.ts'
import { assertReply, sendMessage } from './send-message.ts'
import { assertMentions, assertText } from './text-rules.ts'

/** A file that was taken in and not sent yet. */
export type FileDraft = Pick<FileSpool, 'size' | 'plainDigest' | 'read' | 'uploaded'> & {
  /** Whoever took a file discards it in the end, sent or not: what no message names is deleted. */
  discard(): Promise<void>
}

export type NewFile = {
  draft: FileDraft
  name: string
  /** A media type. */
  type: string
  kind: FileBody['shownAs']
  width?: number
  height?: number
  durationMs?: number
  /** A data: URL of a small picture. */
  preview?: string
  /** The caption. */
  text?: string
  mentions?: Mention[]
  replyTo?: MessageId
}

export type Taking = {
  /** A chat that cannot be written to is refused before anything is taken in. */
  to?: ChatId

  /** At most so many bytes will come; the relay is asked for room for as many. */
  bytesHint?: number
  /** Under a key that is known, the file was probably sent already: it goes to the relay only if not. */
  idempotencyKey?: string
}

/** Resolves when the source has ended: by then its bytes are encrypted here, and on their way. */
export async function takeFile(core: Core, source: AsyncIterable<Uint8Array>, taking: Taking): Promise<FileDraft> {
  const { to, bytesHint, idempotencyKey } = taking
  if (to) assertWritable(core, to)
  const isRepeat = idempotencyKey !== undefined && isKeyKnown(core, idempotencyKey)
  const spool = await core.files.take(source, {
    uploads: isRepeat ? 'later' : 'now',
    ...(bytesHint !== undefined && { bytesHint }),
  })
  return {
    size: spool.size,
    plainDigest: () => spool.plainDigest(),
    read: () => spool.read(),
    uploaded: signal => spool.uploaded(signal),
    discard: async () => {
      await spool.release()
      core.poke()
    },
  }
}

type FileSending = { file: NewFile; within: Within; idempotency?: Idempotency }

export async function sendFile(core: Core, chat: ChatId, { file, within, idempotency }: FileSending): Promise<Message> {
  if (file.text !== undefined) assertText(file.text, 'caption')
  assertMentions(file.text ?? '', file.mentions)
  assertWritable(core, chat)
  if (idempotency) {
    const deadline = new Deadline(core.clock, within)
    await core.link.whenOnline(deadline.leftMs())
    const earlier = await findEarlier(core, chat, { given: idempotency, deadline })
    if (earlier?.kind === 'sent') return earlier.message
  }
  // Before the wait for the upload: it would be in vain.
  assertReply(core, chat, file.replyTo)
  const body = fileBody(file, await file.draft.uploaded())
  // From here: a large file may take its time, the message about it may not.
  const deadline = new Deadline(core.clock, within)
  return await sendMessage(core, chat, { body: () => body, deadline, ...(idempotency && { idempotency }) })
}

function fileBody(file: NewFile, stored: StoredFile): FileBody {
  const { name, type, kind, width, height, durationMs, preview, text, mentions, replyTo } = file
  return {
    kind: 'file',
    blob: stored.blob,
    key: toBase64Url(stored.key),
    digest: toBase64Url(stored.digest),
    size: stored.size,
    name,
    type,
    shownAs: kind,
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationMs !== undefined && { durationMs }),
    ...(preview !== undefined && { preview }),
    ...(text !== undefined && { text }),
    ...(mentions && { mentions }),
    ...(replyTo && { replyTo }),
  }
}

/** Before anything is taken in: it would be in vain. */
function assertWritable(core: Core, chat: ChatId): void {
  const row = findChat(core.store, chat)
  if (!row && !isAccountId(chat)) throw new CodedError('chat-not-found', { chat })
  if (row?.state === 'request') throw new CodedError('chat-is-request')
  if (row?.state === 'left' && row.type === 'group') throw new CodedError('chat-left')
}
