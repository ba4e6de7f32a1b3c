// Sends a file: receives it as a stream, inspects it, and sends it with the preview that people see first.
import { type FileFields, formattedWords } from '@postern/bot-api'
import type { Message } from '@postern/bot-api/objects'
import type { Client, NewFile } from '@postern/core'
import { showFile } from '@postern/media'
import { type ChatId, CodedError, ConcurrencyLimit, gatewayLimits, safeFileName, toBase64Url } from '@postern/protocol'
import type { Counter } from '@postern/protocol/metrics'
import { buttonsOf } from '../chats/buttons.ts'
import { idempotencyOf } from '../chats/idempotency.ts'

export type IncomingFile = { name: string; declaredType: string | undefined; bytes: AsyncIterable<Uint8Array> }

/** The sender's form. Its fields are known only after the file was read to its end. */
export type FileForm = {
  bytesHint: number | undefined
  open(): Promise<{ file: IncomingFile; fields(): Promise<FileFields> }>
}

type FileToSend = { chat: ChatId; form: FileForm; key: string | undefined }

const within = { timeoutMs: gatewayLimits.sendWithinMs }

/** Limits concurrent uploads: each holds a connection to the relay and disk space. */
export class FileUploads {
  readonly #client: Client
  readonly #bytes: Counter
  readonly #slots = new ConcurrencyLimit({ max: gatewayLimits.fileUploadsMax, what: 'files are being uploaded' })

  constructor(client: Client, bytes: Counter) {
    this.#client = client
    this.#bytes = bytes
  }

  /** Uploads in progress. */
  get count(): number {
    return this.#slots.used
  }

  async send(wanted: FileToSend): Promise<Message> {
    return await this.takePlace(() => this.#readAndSend(wanted))
  }

  /** Does the work in one of the limited places, and not while the relay is unreachable. */
  async takePlace<Result>(work: () => Promise<Result>): Promise<Result> {
    const free = this.#slots.reserve()
    try {
      // Before the upload is read: a file that cannot be sent must not fill the disk.
      await this.#client.whenOnline(within)
      return await work()
    } finally {
      free()
    }
  }

  async #readAndSend({ chat, form, key }: FileToSend): Promise<Message> {
    const { file, fields } = await form.open()
    const draft = await this.#client.files.draft(this.counted(file.bytes), {
      to: chat,
      ...(form.bytesHint !== undefined && { bytesHint: form.bytesHint }),
      ...(key !== undefined && { idempotencyKey: key }),
    })
    try {
      const given = await fields()
      const { caption, reply_to: replyTo, kind, silent, format, entities, mentions, buttons = [], ...size } = given
      // Browsers send a file field without a chosen file like this.
      if (file.name === '' && draft.size === 0)
        throw new CodedError('bad-field', { field: 'file', rule: 'is required' })
      const name = safeFileName(file.name)
      const shown = await showFile(draft, { name, declaredType: file.declaredType, kind })
      const hasSize = shown.kind === 'video' || shown.kind === 'voice'
      const sent = {
        draft,
        name,
        ...shown,
        ...(hasSize && givenSize(size)),
        ...(caption && formattedWords({ text: caption, mentions, format, entities })),
        ...(buttons.length > 0 && { buttons: buttonsOf(buttons) }),
        ...(replyTo && { replyTo }),
        ...(silent && { silent }),
      }
      if (key === undefined) return await this.#client.files.send(chat, sent, within)
      const request = { file: chat, name, ...given, digest: toBase64Url(await draft.plainDigest()) }
      return await this.#client.files.send(chat, sent, { ...within, ...idempotencyOf(key, request) })
    } finally {
      await draft.discard()
    }
  }

  /** The bytes, for the metric. */
  async *counted(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#bytes.add('up', chunk.length)
      yield chunk
    }
  }
}

type SizeFields = Omit<
  FileFields,
  'caption' | 'reply_to' | 'kind' | 'silent' | 'format' | 'entities' | 'mentions' | 'buttons'
>

/** Only for videos and voices: the size of a photo is known from its bytes. */
function givenSize({
  width,
  height,
  duration_ms: durationMs,
  ...others
}: SizeFields): Pick<NewFile, 'width' | 'height' | 'durationMs'> {
  // A form field that is not passed on is a compile error.
  others satisfies Record<string, never>
  return {
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(durationMs !== undefined && { durationMs }),
  }
}
