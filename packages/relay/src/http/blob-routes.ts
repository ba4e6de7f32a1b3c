// Blobs over HTTP: PUT appends a piece, HEAD reports the upload's progress, GET fetches all or a range.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BlobId, CodedError, Deferred, GatheredBytes, isBlobId, parseByteRange } from '@postern/protocol'
import { wakeNextTurn } from '@postern/protocol/node'
import { blobForToken, blobToFetch, standingOf, type UploadState } from '../blobs/blobs.ts'
import type { BlobPiece, BlobUploads } from '../blobs/upload-blob.ts'
import type { RelayContext } from '../context.ts'
import { answerJson } from './answer.ts'

type Routed = { request: IncomingMessage; response: ServerResponse; blob: BlobId }

const PREFIX = '/blobs/'

/** The web app may come from another origin. Blobs are ciphertext, and the id is the permission. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Upload-Offset, Upload-Complete, Content-Range, Content-Length, Accept-Ranges',
}
const METHODS = ['GET', 'HEAD', 'PUT']
const preflight = {
  'Access-Control-Allow-Methods': METHODS.join(', '),
  'Access-Control-Allow-Headers': 'Authorization, Upload-Offset, Upload-Complete, Range, Content-Type, Fetch-Token',
  'Access-Control-Max-Age': '86400',
}

export const isBlobPath = (path: string): boolean => path.startsWith(PREFIX)

export class BlobRoutes {
  readonly #parts: RelayContext
  readonly #uploads: BlobUploads

  constructor(parts: RelayContext, uploads: BlobUploads) {
    this.#parts = parts
    this.#uploads = uploads
  }

  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    for (const [name, value] of Object.entries(crossOrigin)) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflight).end()
    if (!METHODS.includes(request.method ?? '')) return wrongMethod(response)
    const blob = path.slice(PREFIX.length)
    if (!isBlobId(blob)) throw new CodedError('blob-unknown')
    const routed = { request, response, blob }
    if (request.method === 'PUT') return this.#put(routed)
    if (request.method === 'HEAD' && request.headers.authorization !== undefined) return this.#head(routed)
    return this.#get(routed)
  }

  async #put({ request, response, blob }: Routed): Promise<void> {
    const stored = await blobForToken(this.#parts, blob, tokenOf(request))
    const offset = numberIn(request.headers['upload-offset'])
    if (offset === undefined)
      throw new CodedError('bad-field', { field: 'Upload-Offset', rule: 'must say where the piece begins' })
    if (offset + (numberIn(request.headers['content-length']) ?? 0) > stored.size) {
      // Close the connection without reading the body: otherwise the relay would receive all of it only to drop it.
      response.setHeader('Connection', 'close')
      throw new CodedError('too-large', { what: 'The blob', max: stored.size })
    }
    try {
      const uploaded = await this.#uploads.write(blob, { owner: stored.owner, offset, ...pieceIn(request) })
      if (uploaded.kind === 'written') this.#parts.figures.blobBytes.add('in', uploaded.length - offset)
      tellStanding(response, uploaded)
      response.writeHead(uploaded.kind === 'written' ? 204 : 409).end()
    } finally {
      forgetRest(request, { bytesMax: stored.size })
    }
  }

  async #head({ request, response, blob }: Routed): Promise<void> {
    const stored = await blobForToken(this.#parts, blob, tokenOf(request))
    const standing = await standingOf(this.#parts, blob, stored)
    tellStanding(response, standing)
    if (standing.isComplete) response.setHeader('Content-Length', standing.length)
    response.writeHead(200).end()
  }

  async #get({ request, response, blob }: Routed): Promise<void> {
    const asks = request.method === 'HEAD' ? 'length' : 'bytes'
    const stored = await blobToFetch(this.#parts, blob, { token: fetchTokenOf(request), asks })
    // HTTP defines ranges for GET only.
    const range = parseByteRange(request.method === 'GET' ? request.headers.range : undefined, stored.size)
    if (range.kind === 'unsatisfiable') {
      response.setHeader('Content-Range', `bytes */${stored.size}`)
      return refuse(response, 416, {
        field: 'Range',
        rule: `must begin within the blob, which has ${stored.size} bytes`,
      })
    }
    const { start, end } = range.kind === 'part' ? range : { start: 0, end: stored.size - 1 }
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Length': end - start + 1,
      'Accept-Ranges': 'bytes',
      ...(range.kind === 'part' ? { 'Content-Range': `bytes ${start}-${end}/${stored.size}` } : {}),
    }
    const status = range.kind === 'part' ? 206 : 200
    if (request.method === 'HEAD') return void response.writeHead(status, headers).end()
    const body = await this.#parts.blobs.read(blob, { start, end })
    if (!body) throw new CodedError('blob-unknown')
    this.#parts.figures.blobBytes.add('out', end - start + 1)
    await sendBody(response.writeHead(status, headers), body)
  }
}

function wrongMethod(response: ServerResponse): void {
  response.setHeader('Allow', [...METHODS, 'OPTIONS'].join(', '))
  refuse(response, 405, { field: 'method', rule: 'must be GET, HEAD, PUT or OPTIONS' })
}

/** For 405 and 416, which no other error of the relay maps to. */
function refuse(response: ServerResponse, status: 405 | 416, fault: { field: string; rule: string }): void {
  const { message, code } = new CodedError('bad-field', fault)
  answerJson(response, status, { error: message, code })
}

const pieceIn = (request: IncomingMessage): Omit<BlobPiece, 'owner' | 'offset'> => ({
  body: wholeBody(request),
  abort: () => void request.destroy(),
  isLast: request.headers['upload-complete'] === '?1',
})

/**
 * A connection that ends drops bytes that were received but not read,
 * so the body is then incomplete, even if it was sent in full.
 */
async function* wholeBody(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  const pieces = new GatheredBytes(request, wakeNextTurn)
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value
    if (!request.complete) throw new CodedError('relay-stopping')
  } finally {
    await pieces.return()
  }
}

/** After a refusal: a sender that is cut off does not see the answer, and a hang-up is only noticed while reading. */
function forgetRest(request: IncomingMessage, { bytesMax }: { bytesMax: number }): void {
  if (request.complete || request.destroyed) return
  let bytes = 0
  request.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length
    if (bytes > bytesMax) request.destroy()
  })
  request.resume()
}

/** Waits until each piece is written before it reads the next one. Stops when the peer has disconnected. */
async function sendBody(response: ServerResponse, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const bytes of body) {
    if (response.destroyed) return
    const written = new Deferred()
    const end = () => written.resolve()
    response.once('close', end)
    written.onSettled(() => response.off('close', end))
    response.write(bytes, end)
    await written.promise
  }
  if (!response.destroyed) response.end()
}

function tellStanding(response: ServerResponse, { length, isComplete }: UploadState): void {
  response.setHeader('Upload-Offset', length)
  response.setHeader('Upload-Complete', isComplete ? '?1' : '?0')
}

function tokenOf(request: IncomingMessage): string {
  const [, token] = /^Bearer ([A-Za-z0-9_-]+)$/.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined) throw new CodedError('unauthenticated', { why: 'the upload token is missing' })
  return token
}

/** A shorter token could be guessed, and another client could fetch in the name of the first. */
function fetchTokenOf(request: IncomingMessage): string | undefined {
  const header = request.headers['fetch-token']
  return typeof header === 'string' && /^[A-Za-z0-9_-]{22,128}$/.test(header) ? header : undefined
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
