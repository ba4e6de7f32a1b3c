// Sends a file: its bytes are at the relay before the message that names them,
// and are deleted if the message is never sent.
import type { Message } from '@postern/bot-api/objects'
import { type ChatId, CodedError, Deadline, isAccountId, type TimeoutOption } from '@postern/protocol'
import { findChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import type { FileSpool, SpoolLimits } from '../files/files.ts'
import { type FileWords, file } from '../kinds/file.ts'
import { type Idempotency, isKeyKnown } from '../storage/state/idempotency-keys.ts'
import { findEarlier } from './idempotency.ts'
import { assertReply, sendNewMessage } from './send-new-message.ts'

/** A file whose bytes are here, encrypted, and that was not sent yet. */
export type FileDraft = Pick<FileSpool, 'size' | 'plainDigest' | 'read' | 'uploaded'> & {
  /** Something was sent under its key, probably this file: it is uploaded only when that turns out to be wrong. */
  isRepeat: boolean
  /** The caller that drafted a file discards it in the end, sent or not: a file that no message names is deleted. */
  discard(): Promise<void>
}

export type NewFile = FileWords & { draft: FileDraft }

export type FileHints = {
  /** A chat that cannot be written to is refused before anything is read. */
  to?: ChatId
  /** The largest size that the file can have; the relay reserves as much space. */
  bytesHint?: number
  /** Under a known key, the file was probably sent already: it is uploaded only if not. */
  idempotencyKey?: string
  /** How many bytes of its ciphertext the relay has received by now; fewer again when some of them were lost. */
  onSent?: (sealedBytes: number) => void
  /** For a file that no message names: the key that seals it, used for this file alone, and its limits at the relay. */
  key?: Uint8Array
  limits?: SpoolLimits
}

/** Resolves when the source has ended: by then its bytes are encrypted here, and the upload is in progress. */
export async function draftFile(
  core: Pick<Core, 'store' | 'files' | 'wakeChores'>,
  source: AsyncIterable<Uint8Array>,
  { to, bytesHint, idempotencyKey, onSent, key, limits }: FileHints,
): Promise<FileDraft> {
  if (to) assertWritable(core, to)
  const isRepeat = idempotencyKey !== undefined && isKeyKnown(core.store, idempotencyKey)
  const spool = await core.files.spool(source, {
    uploads: isRepeat ? 'later' : 'now',
    ...(bytesHint !== undefined && { bytesHint }),
    ...(onSent && { onSent }),
    key,
    limits,
  })
  return {
    isRepeat,
    size: spool.size,
    plainDigest: () => spool.plainDigest(),
    read: () => spool.read(),
    uploaded: signal => spool.uploaded(signal),
    discard: async () => {
      await spool.release()
      core.wakeChores()
    },
  }
}

type FileSend = { asked: NewFile; within: TimeoutOption; idempotency?: Idempotency }

export async function sendFile(core: Core, chat: ChatId, { asked, within, idempotency }: FileSend): Promise<Message> {
  const { draft, ...words } = asked
  file.check(core, chat, words)
  assertWritable(core, chat)
  if (idempotency) {
    const deadline = new Deadline(core.clock, within)
    await core.link.whenOnline(deadline.leftMs())
    const earlier = await findEarlier(core, chat, { given: idempotency, deadline })
    if (earlier?.kind === 'sent') return earlier.message
  }
  // Before waiting for the upload, which would be in vain.
  assertReply(core, chat, words.replyTo)
  const stored = await draft.uploaded()
  // The timeout begins here: a large file may take its time, the message about it may not.
  const deadline = new Deadline(core.clock, within)
  return await sendNewMessage(core, chat, {
    kind: file,
    asked: { ...words, stored },
    deadline,
    ...(idempotency && { idempotency }),
  })
}

/** Before anything is read, which would be in vain. */
function assertWritable({ store }: Pick<Core, 'store'>, chat: ChatId): void {
  const row = findChat(store, chat)
  if (!row && !isAccountId(chat)) throw new CodedError('chat-not-found', { chat })
  if (row?.state === 'request') throw new CodedError('chat-is-request')
  if (row?.blocked) throw new CodedError('chat-blocked')
  if (row?.state === 'left' && row.type === 'group') throw new CodedError('chat-left')
}
