// Fetches the copy of an account that moves here. The relay gives it to one fetcher: an interrupted fetch is resumed as
// the same one.
import { appLimits, type BlobId, CodedError, concatBytes, isCoded, pause } from '@postern/protocol'
import { AppError } from './app-error.ts'
import type { WorkerPlatform } from './platform.ts'

/** Throws `move-code-used` when the relay has no such copy, or has given it to another device. */
export async function fetchCopy(platform: WorkerPlatform, blob: BlobId, fetchToken: string): Promise<Uint8Array> {
  const { clock } = platform
  const blobs = platform.connectBlobs()
  const copy = new Gathered()
  const giveUp = new AbortController()
  const patience = clock.setTimer(appLimits.moveTimeoutMs, () => giveUp.abort())
  try {
    while (!copy.isWhole) {
      try {
        const from = copy.length
        const { start, total, body } = await blobs.download(blob, { from, fetchToken, signal: giveUp.signal })
        copy.begin(start, total)
        for await (const piece of body) copy.add(piece)
        copy.end()
      } catch (error) {
        if (isCoded(error, 'blob-unknown')) throw new AppError('move-code-used')
        if (!isCoded(error, 'relay-unreachable') || giveUp.signal.aborted) throw error
        await pause(clock, appLimits.moveRetryMs, giveUp.signal)
      }
    }
    return copy.bytes()
  } finally {
    patience.cancel()
    blobs.close()
  }
}

class Gathered {
  #pieces: Uint8Array[] = []
  #length = 0
  #total: number | undefined
  isWhole = false

  get length(): number {
    return this.#length
  }

  /** A proxy to the relay may not support ranges, and send all of it again. */
  begin(start: number, total: number | undefined): void {
    if (start !== this.#length) {
      if (start !== 0) throw new CodedError('relay-broken', { what: 'another range than was asked for' })
      this.#pieces = []
      this.#length = 0
    }
    this.#total = total
  }

  add(piece: Uint8Array): void {
    this.#length += piece.length
    if (this.#length > appLimits.moveBytesMax)
      throw new CodedError('too-large', { what: 'The account', max: appLimits.moveBytesMax })
    // It is valid only until the next one is requested.
    this.#pieces.push(piece.slice())
  }

  end(): void {
    if (this.#total !== undefined && this.#length < this.#total) throw new CodedError('relay-unreachable')
    this.isWhole = true
  }

  bytes(): Uint8Array {
    return concatBytes(...this.#pieces)
  }
}
