// Transfers blobs with Node's own HTTP client, which copies least.
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import https from 'node:https'
import { type BlobId, CodedError, Deferred, freeBytes, GatheredBytes, untilAborted } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
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

// An import would load undici for the names that it re-exports: 13 MiB that nobody here uses.
const http = process.getBuiltinModule('node:http')

export const connectNodeBlobs: BlobTransportFactory = relayUrl => new NodeBlobTransport(relayUrl)

class NodeBlobTransport implements BlobTransport {
  readonly #relayUrl: string
  readonly #client: typeof http | typeof https
  readonly #agent: Agent

  constructor(relayUrl: string) {
    this.#relayUrl = relayUrl
    this.#client = /^(https|wss):/.test(relayUrl) ? https : http
    this.#agent = new this.#client.Agent({ keepAlive: true })
  }

  async upload({ blob, token }: UploadTicket, { offset, length, body, signal }: UploadPiece): Promise<UploadStanding> {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Upload-Offset': offset,
      'Upload-Complete': '?1',
      ...(length === undefined ? {} : { 'Content-Length': length }),
    }
    const request = this.#request(blob, { method: 'PUT', headers, signal })
    const answer = answerTo(request)
    try {
      await sendBody(request, { body, answer })
      return standingIn(await answer, [204, 409])
    } finally {
      // Before its buffer is used again: pending writes must not send other bytes.
      if (!request.writableFinished) request.destroy()
    }
  }

  async standing({ blob, token }: UploadTicket, signal: AbortSignal): Promise<UploadStanding> {
    const headers = { Authorization: `Bearer ${token}` }
    const request = this.#request(blob, { method: 'HEAD', headers, signal })
    request.end()
    return standingIn(await answerTo(request), [200])
  }

  async download(blob: BlobId, { from, signal, fetchToken }: WantedBytes): Promise<Download> {
    const headers = wantedHeaders(from, fetchToken)
    const request = this.#request(blob, { method: 'GET', headers, signal })
    request.end()
    const response = await answerTo(request)
    assertStatus(response, [200, 206, 416])
    const body = bodyOf(response)
    if (response.statusCode === 200) return { start: 0, total: numberIn(response.headers['content-length']), body }
    const [, start, total] = /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(response.headers['content-range'] ?? '') ?? []
    return { start: numberIn(start) ?? from, total: numberIn(total), body }
  }

  close(): void {
    this.#agent.destroy()
  }

  #request(blob: BlobId, options: RequestOptions): ClientRequest {
    return this.#client.request(blobUrl(this.#relayUrl, blob), { ...options, agent: this.#agent })
  }
}

const numberIn = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

const unreachable = (cause: unknown): CodedError => new CodedError('relay-unreachable', {}, { cause })

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  const wait = new Deferred<IncomingMessage>()
  request.on('response', response => wait.resolve(response))
  request.on('error', cause => wait.reject(unreachable(cause)))
  request.on('close', () => wait.reject(unreachable(new Error('closed'))))
  // The sender may fail first, and then nothing awaits this promise.
  wait.promise.catch(() => undefined)
  return wait.promise
}

/** An answer before the end is a refusal: the relay does not read the rest, and the source may pause for long. */
async function sendBody(
  request: ClientRequest,
  { body, answer }: { body: AsyncIterable<Uint8Array>; answer: Promise<IncomingMessage> },
): Promise<void> {
  const answered = new AbortController()
  const end = () => answered.abort()
  answer.then(end, end)
  try {
    for await (const bytes of untilAborted(body, answered.signal)) {
      const written = new Deferred()
      written.onAbort(answered.signal, () => written.reject(answered.signal.reason))
      request.write(bytes, () => written.resolve())
      await written.promise
    }
    request.end()
  } catch (error) {
    if (!answered.signal.aborted) throw error
  }
}

function standingIn(response: IncomingMessage, statuses: number[]): UploadStanding {
  response.resume()
  assertStatus(response, statuses)
  const offset = Number(response.headers['upload-offset'])
  if (!Number.isSafeInteger(offset)) throw new CodedError('relay-broken', { what: 'an upload without its offset' })
  return { offset, isComplete: response.headers['upload-complete'] === '?1' }
}

function assertStatus(response: IncomingMessage, statuses: number[]): void {
  const status = response.statusCode ?? 0
  if (statuses.includes(status)) return
  response.resume()
  if (status === 404) throw new CodedError('blob-unknown')
  if (status === 507) throw new CodedError('relay-full')
  if (status === 408 || status === 429 || status >= 500) throw unreachable(new Error(`status ${status}`))
  throw new CodedError('relay-broken', { what: `a blob is answered with status ${status}` })
}

async function* bodyOf(response: IncomingMessage): AsyncGenerator<Uint8Array> {
  freeWhatWasRead(response)
  try {
    const pieces = new GatheredBytes(response, wakeNextTurn)
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
    if (!response.complete) throw new Error('cut off')
  } catch (cause) {
    throw unreachable(cause)
  } finally {
    response.destroy()
  }
}

/**
 * The parser copies the body out of the bytes that the socket read:
 * without this, each byte would wait twice for the garbage collector.
 */
function freeWhatWasRead(response: IncomingMessage): void {
  const { socket } = response
  socket.on('data', freeBytes)
  const over = () => {
    for (const end of ['end', 'close']) response.off(end, over)
    socket.off('data', freeBytes)
  }
  // With the last byte, and not when it was read:
  // otherwise the next answer on this connection would be freed before it is parsed.
  for (const end of ['end', 'close']) response.on(end, over)
}
