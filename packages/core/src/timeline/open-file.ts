// Opens the file of a message: it is fetched on request, and only the bytes that were sent come out.
import type { FileInfo } from '@postern/bot-api/objects'
import { type ChatId, CodedError, fromBase64Url, type MessageId } from '@postern/protocol'
import type { FileBody } from '@postern/protocol/content'
import { visibleChat } from '../chats/records/chats.ts'
import type { Core } from '../context.ts'
import type { FetchPatience } from '../files/download/shared-fetches.ts'
import { noteDeadFile } from '../files/file-records.ts'
import type { StoredFile } from '../files/files.ts'
import { viewFile } from '../kinds/file.ts'
import { bodyOf, findMessage, lookUpMessage } from '../messages/messages.ts'

/** `end` is the position of the last byte. */
export type ByteSpan = { start: number; end: number }

export type OpenFile = FileInfo & {
  /**
   * A digest of the ciphertext: it shows whether two answers are about the same bytes,
   * and discloses nothing about the file.
   */
  digest: string
  read(range?: ByteSpan): AsyncIterable<Uint8Array>
  /** The same in less memory: each piece is valid only until the next one is requested. */
  readBriefly(range?: ByteSpan): AsyncIterable<Uint8Array>
}

type Opening = Pick<Core, 'store' | 'files' | 'wakeChores'>
type Wanted = { chat: ChatId; message: MessageId }

export async function openFile(core: Opening, wanted: Wanted, waiting: FetchPatience): Promise<OpenFile> {
  visibleChat(core.store, wanted.chat)
  const body = fileBodyOf(core, wanted)
  const opened = await core.files.open(storedFile(body), waiting)
  await assertStillThere(core, wanted, body)
  const read = (pieces: 'read' | 'readBriefly') => (range?: ByteSpan) => {
    fileBodyOf(core, wanted)
    return opened[pieces](range)
  }
  return { ...viewFile(body), digest: body.digest, read: read('read'), readBriefly: read('readBriefly') }
}

function fileBodyOf({ store }: Pick<Core, 'store'>, { chat, message }: Wanted): FileBody {
  const body = bodyOf(findMessage(store, chat, message))
  if (body.kind !== 'file') throw new CodedError('no-file')
  return body
}

/** The message was erased while its file was fetched: the chores had already run by then, and found no file. */
async function assertStillThere(core: Opening, { chat, message }: Wanted, { blob }: FileBody): Promise<void> {
  if (lookUpMessage(core.store, chat, message)) return
  await core.store.write(database => noteDeadFile(database, blob, 'here'))
  core.wakeChores()
  throw new CodedError('message-not-found', { message })
}

function storedFile({ blob, key, digest, size }: FileBody): StoredFile {
  const keyBytes = fromBase64Url(key)
  const digestBytes = fromBase64Url(digest)
  if (keyBytes?.length !== 32 || digestBytes?.length !== 32) throw new CodedError('file-damaged')
  return { blob, key: keyBytes, digest: digestBytes, size }
}
