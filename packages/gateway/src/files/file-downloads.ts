// Files on their way out: only so many at a time, since each holds memory and a file of the cache open.
import type { Client, OpenFile } from '@postern/core'
import { type ChatId, gatewayLimits, type MessageId } from '@postern/protocol'
import type { Counter } from '../metrics/metrics.ts'
import { Places } from '../places.ts'

/** Each of its pieces holds only until the next one is asked for. */
export type BriefFile = Omit<OpenFile, 'read'>

export class FileDownloads {
  readonly #client: Client
  readonly #bytes: Counter
  readonly #places = new Places({ max: gatewayLimits.fileDownloadsMax, what: 'files are being downloaded' })

  constructor(client: Client, bytes: Counter) {
    this.#client = client
    this.#bytes = bytes
  }

  /** How many are under way. */
  get count(): number {
    return this.#places.taken
  }

  /** A reader that has gone does not keep its place until the file is fetched. */
  async open({ chat, message }: { chat: ChatId; message: MessageId }, gone: AbortSignal): Promise<BriefFile> {
    const leave = this.#places.take()
    const waiting = { deadlineMs: gatewayLimits.sendWithinMs, signal: gone }
    try {
      const file = await this.#client.openFile(chat, message, waiting)
      return { ...file, readBriefly: range => this.#read(file.readBriefly(range)) }
    } finally {
      leave()
    }
  }

  async *#read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const leave = this.#places.take()
    try {
      for await (const chunk of bytes) {
        this.#bytes.add('down', chunk.length)
        yield chunk
      }
    } finally {
      leave()
    }
  }
}
