// A file from the bot: taken in as it comes, looked at, and sent with what people see of it before they fetch it.
import type { FileFields } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, NewFile } from '@postern/core'
import { PhotoInPassing, showFile } from '@postern/media'
import { type ChatId, CodedError, gatewayLimits, Slots, safeFileName, toBase64Url } from '@postern/protocol'
import type { Counter } from '@postern/protocol/metrics'
import { idempotencyOf } from '../chats/idempotency.ts'

export type IncomingFile = { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }

/** What the sender hands in. The fields are known only after the file was read to its end. */
export type FileForm = {
  bytesHint: number | undefined
  open(): Promise<{ file: IncomingFile; fieldsBefore: FileFields; fields(): Promise<FileFields> }>
}

type FileToSend = { chat: ChatId; form: FileForm; key: string | undefined }

const within = { timeoutMs: gatewayLimits.sendWithinMs }

/** Only so many at a time: each holds a connection to the relay and room on the disk. */
export class FileUploads {
  readonly #client: Client
  readonly #bytes: Counter
  readonly #slots = new Slots({ max: gatewayLimits.fileUploadsMax, what: 'files are being uploaded' })

  constructor(client: Client, bytes: Counter) {
    this.#client = client
    this.#bytes = bytes
  }

  /** How many are under way. */
  get count(): number {
    return this.#slots.used
  }

  async send(wanted: FileToSend): Promise<Message> {
    const free = this.#slots.reserve()
    try {
      // Before the upload is read: a file that cannot be sent must not fill the disk.
      await this.#client.whenOnline(within)
      return await this.#readAndSend(wanted)
    } finally {
      free()
    }
  }

  async #readAndSend({ chat, form, key }: FileToSend): Promise<Message> {
    const { file, fieldsBefore, fields } = await form.open()
    // As far as is known by now: work for a preview that nobody wants is harmless.
    const mayBePhoto = (fieldsBefore.kind ?? 'photo') === 'photo'
    const passing = mayBePhoto ? new PhotoInPassing() : undefined
    const bytes = this.#counted(file.bytes, passing)
    const draft = await this.#client.files.draft(bytes, {
      to: chat,
      ...(form.bytesHint !== undefined && { bytesHint: form.bytesHint }),
      ...(key !== undefined && { idempotencyKey: key }),
    })
    try {
      const given = await fields()
      // So browsers write a field in which nobody has chosen a file.
      if (file.name === '' && draft.size === 0)
        throw new CodedError('bad-field', { field: 'file', rule: 'it is required' })
      const name = safeFileName(file.name)
      const shown = await showFile(draft, { name, declaredType: file.declaredType, kind: given.kind, passing })
      const hasSize = shown.kind === 'video' || shown.kind === 'voice'
      const { caption, reply_to: replyTo } = given
      const sent = {
        draft,
        name,
        ...shown,
        ...(hasSize && givenSize(given)),
        ...(caption && { text: caption }),
        ...(replyTo && { replyTo }),
      }
      if (key === undefined) return await this.#client.files.send(chat, sent, within)
      const request = { file: chat, name, ...given, digest: toBase64Url(await draft.plainDigest()) }
      return await this.#client.files.send(chat, sent, { ...within, ...idempotencyOf(key, request) })
    } finally {
      await draft.discard()
    }
  }

  async *#counted(bytes: AsyncIterable<Uint8Array>, passing: PhotoInPassing | undefined): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#bytes.add('up', chunk.length)
      yield chunk
      // While it is on its way to the disk and to the relay. It holds until the next one is asked for.
      passing?.add(chunk)
    }
  }
}

/** Only for videos and voices: the size of a photo is known from its bytes. */
function givenSize({
  width,
  height,
  duration_ms: durationMs,
}: FileFields): Pick<NewFile, 'width' | 'height' | 'durationMs'> {
  return {
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationMs !== undefined && { durationMs }),
  }
}
