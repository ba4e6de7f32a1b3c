// Limits concurrent downloads: each holds memory and an open file of the cache.
import type { Client, OpenFile } from '@postern/core'
import { type ChatId, ConcurrencyLimit, gatewayLimits, type MessageId } from '@postern/protocol'
import type { Counter } from '@postern/protocol/metrics'

/** Each piece is valid only until the next one is requested. */
export type BriefFile = Omit<OpenFile, 'read'>

export class FileDownloads {
  readonly #client: Client
  readonly #bytes: Counter
  readonly #slots = new ConcurrencyLimit({ max: gatewayLimits.fileDownloadsMax, what: 'files are being downloaded' })

  constructor(client: Client, bytes: Counter) {
    this.#client = client
    this.#bytes = bytes
  }

  /** Downloads in progress. */
  get count(): number {
    return this.#slots.used
  }

  /** A reader that disconnects frees its slot before the file is fetched. */
  async open({ chat, message }: { chat: ChatId; message: MessageId }, gone: AbortSignal): Promise<BriefFile> {
    const free = this.#slots.reserve()
    const waiting = { timeoutMs: gatewayLimits.sendWithinMs, signal: gone }
    try {
      const file = await this.#client.files.open(chat, message, waiting)
      return { ...file, readBriefly: range => this.#read(file.readBriefly(range)) }
    } finally {
      free()
    }
  }

  async *#read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const free = this.#slots.reserve()
    try {
      for await (const chunk of bytes) {
        this.#bytes.add('down', chunk.length)
        yield chunk
      }
    } finally {
      free()
    }
  }
}
