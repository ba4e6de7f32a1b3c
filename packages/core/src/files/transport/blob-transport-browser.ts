// Transfers blobs with fetch. A streaming request body needs HTTP/2 and Chromium, so uploads are sent in pieces.
import { type BlobId, CodedError, clientLimits } from '@postern/protocol'
import {
  type BlobTransport,
  type BlobTransportFactory,
  blobUrl,
  type Download,
  type UploadPiece,
  type UploadStanding,
  type UploadTicket,
  type WantedBytes,
  wantedHeaders,
} from './blob-transport.ts'

const { uploadPieceBytesMin, uploadPieceBytesMax, uploadPieceQuickMs } = clientLimits

export const connectBrowserBlobs: BlobTransportFactory = relayUrl => new BrowserBlobTransport(relayUrl)

class BrowserBlobTransport implements BlobTransport {
  readonly #relayUrl: string
  readonly #closed = new AbortController()

  constructor(relayUrl: string) {
    this.#relayUrl = relayUrl
  }

  async upload(ticket: UploadTicket, { offset, body, signal }: UploadPiece): Promise<UploadStanding> {
    let at = offset
    for await (const { bytes, isLast, sizer } of pieces(body)) {
      const beganMs = performance.now()
      const standing = await this.#put(ticket, { bytes, at, isLast, signal })
      at += bytes.length
      // Refused, or less of it has arrived: the caller continues from there.
      if (isLast || standing.offset !== at) return standing
      sizer.took(performance.now() - beganMs)
    }
    throw new CodedError('internal')
  }

  async standing({ blob, token }: UploadTicket, signal: AbortSignal): Promise<UploadStanding> {
    const headers = { Authorization: `Bearer ${token}` }
    return standingIn(await this.#ask(blob, { method: 'HEAD', headers, signal }), [200])
  }

  async download(blob: BlobId, { from, signal, fetchToken }: WantedBytes): Promise<Download> {
    const response = await this.#ask(blob, { headers: wantedHeaders(from, fetchToken), signal })
    assertStatus(response, [200, 206, 416])
    const body = bodyOf(response)
    if (response.status === 200) return { start: 0, total: numberIn(response.headers.get('content-length')), body }
    const [, start, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
    return { start: numberIn(start) ?? from, total: numberIn(total), body }
  }

  close(): void {
    this.#closed.abort()
  }

  async #put({ blob, token }: UploadTicket, piece: SentPiece): Promise<UploadStanding> {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Upload-Offset': String(piece.at),
      'Upload-Complete': piece.isLast ? '?1' : '?0',
    }
    const response = await this.#ask(blob, { method: 'PUT', headers, body: piece.bytes, signal: piece.signal })
    return standingIn(response, [204, 409])
  }

  /** No cookies, no cache and no redirects: a relay that redirects violates the protocol. */
  async #ask(blob: BlobId, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const signal = AbortSignal.any([init.signal, this.#closed.signal])
    try {
      return await fetch(blobUrl(this.#relayUrl, blob), {
        ...init,
        signal,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      })
    } catch (cause) {
      throw new CodedError('relay-unreachable', {}, { cause })
    }
  }
}

type SentPiece = { bytes: Uint8Array<ArrayBuffer>; at: number; isLast: boolean; signal: AbortSignal }

/** Small at first, so that a slow line does not look dead, and doubled after each quick piece. */
class PieceSizer {
  bytes: number = uploadPieceBytesMin

  took(ms: number): void {
    if (ms < uploadPieceQuickMs) this.bytes = Math.min(uploadPieceBytesMax, 2 * this.bytes)
  }
}

type Piece = { bytes: Uint8Array<ArrayBuffer>; isLast: boolean; sizer: PieceSizer }

/** The source's bytes in pieces that are valid until the next one is requested; the last may be empty. */
async function* pieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  const sizer = new PieceSizer()
  let held = new Uint8Array(sizer.bytes)
  let count = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + held.length - count)
      held.set(part, count)
      count += part.length
      at += part.length
      if (count < held.length) continue
      yield { bytes: held, isLast: false, sizer }
      if (sizer.bytes > held.length) held = new Uint8Array(sizer.bytes)
      count = 0
    }
  }
  yield { bytes: held.subarray(0, count), isLast: true, sizer }
}

async function* bodyOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const next = await reader?.read()
      if (!next || next.done) return
      yield next.value
    }
  } catch (cause) {
    throw new CodedError('relay-unreachable', {}, { cause })
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

function standingIn(response: Response, statuses: number[]): UploadStanding {
  assertStatus(response, statuses)
  const offset = numberIn(response.headers.get('upload-offset'))
  if (!Number.isSafeInteger(offset) || offset === undefined)
    throw new CodedError('relay-broken', { what: 'an upload without its offset' })
  return { offset, isComplete: response.headers.get('upload-complete') === '?1' }
}

function assertStatus({ status }: Response, statuses: number[]): void {
  if (statuses.includes(status)) return
  if (status === 404) throw new CodedError('blob-unknown')
  if (status === 507) throw new CodedError('relay-full')
  if (status === 408 || status === 429 || status >= 500)
    throw new CodedError('relay-unreachable', {}, { cause: new Error(`status ${status}`) })
  throw new CodedError('relay-broken', { what: `a blob is answered with status ${status}` })
}

const numberIn = (text: string | null | undefined): number | undefined =>
  text === null || text === undefined ? undefined : Number(text)
