// Sends several files as one album. All of them are here, checked, before the first message is sent.
import { type AlbumFields, formattedWords } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import { albumPartKey, type Client, type FileDraft, type NewFile } from '@postern/core'
import { showFile } from '@postern/media'
import { type ChatId, CodedError, gatewayLimits, safeFileName, toBase64Url } from '@postern/protocol'
import { idempotencyOf } from '../chats/idempotency.ts'
import type { FileUploads, IncomingFile } from './send-file.ts'

/** The fields are known only after the last file was read to its end. */
export type AlbumForm = {
  bytesHint: number | undefined
  open(): Promise<{
    file: IncomingFile
    nextFile?(): Promise<IncomingFile | undefined>
    fields(): Promise<AlbumFields>
    /** The files by their places in the order in which they were read; without it, in that order. */
    order?(): readonly number[]
  }>
}

export type AlbumContext = { client: Client; uploads: FileUploads }

type AlbumToSend = { chat: ChatId; form: AlbumForm; key: string | undefined }

type AlbumFile = { draft: FileDraft; name: string; declaredType: string | undefined }

const within = { timeoutMs: gatewayLimits.sendWithinMs }

export async function sendAlbum(context: AlbumContext, album: AlbumToSend): Promise<Message[]> {
  const { client, uploads } = context
  return await uploads.takePlace(async () => {
    const read: AlbumFile[] = []
    try {
      const opened = await album.form.open()
      let file: IncomingFile | undefined = opened.file
      while (file) {
        read.push(await readOne(context, { ...album, file, at: read.length }))
        file = await opened.nextFile?.()
      }
      const fields = await opened.fields()
      return await sendRead(client, { ...album, read: inOrder(read, opened.order?.()), fields })
    } finally {
      for (const { draft } of read) await draft.discard()
    }
  })
}

const inOrder = (read: readonly AlbumFile[], order: readonly number[] = [...read.keys()]): AlbumFile[] =>
  order.flatMap(at => read[at] ?? [])

async function readOne(
  { client, uploads }: AlbumContext,
  { chat, form, key, file, at }: AlbumToSend & { file: IncomingFile; at: number },
): Promise<AlbumFile> {
  const draft = await client.files.draft(uploads.counted(file.bytes), {
    to: chat,
    ...(form.bytesHint !== undefined && { bytesHint: form.bytesHint }),
    ...(key !== undefined && { idempotencyKey: albumPartKey(key, at) }),
  })
  const { name, declaredType } = file
  try {
    // Browsers send a file field without a chosen file like this.
    if (name === '' && draft.size === 0) throw new CodedError('bad-field', { field: 'file', rule: 'is required' })
    // One upload at a time: an album occupies one place.
    if (!draft.isRepeat) await draft.uploaded()
  } catch (error) {
    await draft.discard()
    throw error
  }
  return { draft, name: safeFileName(name), declaredType }
}

type ReadAlbum = Omit<AlbumToSend, 'form'> & { read: readonly AlbumFile[]; fields: AlbumFields }

async function sendRead(client: Client, { chat, key, read, fields }: ReadAlbum): Promise<Message[]> {
  const { caption, reply_to: replyTo, kind, silent, format, entities, mentions, ...others } = fields
  // A form field that is not passed on is a compile error.
  others satisfies Record<string, never>
  const files: NewFile[] = []
  for (const [at, { draft, name, declaredType }] of read.entries()) {
    const shown = await showFile(draft, { name, declaredType, kind })
    files.push({
      draft,
      name,
      ...shown,
      ...(at === 0 && caption && formattedWords({ text: caption, mentions, format, entities })),
      ...(at === 0 && replyTo && { replyTo }),
      ...(silent && { silent }),
    })
  }
  if (key === undefined) return await client.files.sendAlbum(chat, files, within)
  const digests: string[] = []
  for (const { draft } of read) digests.push(toBase64Url(await draft.plainDigest()))
  const request = { album: chat, names: read.map(({ name }) => name), ...fields, digests }
  return await client.files.sendAlbum(chat, files, { ...within, ...idempotencyOf(key, request) })
}
