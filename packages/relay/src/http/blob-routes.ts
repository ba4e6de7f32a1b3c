// Blobs over HTTP: PUT appends a piece, HEAD tells how far the upload is, GET fetches, also in part.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type BlobId, CodedError, isBlobId } from '@postern/protocol'
import { blobForToken, uploadedLength } from '../blobs/blobs.ts'
import type { BlobUploads } from '../blobs/upload-blob.ts'
import type { RelayParts } from '../relay-parts.ts'
import { parseByteRange } from './byte-range.ts'

type Routed = { request: IncomingMessage; response: ServerResponse; blob: BlobId }

const PREFIX = '/blobs/'

/** The web app may come from another origin; blobs are ciphertext, and the id is the permission. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Upload-Offset, Content-Range, Content-Length, Accept-Ranges',
}
const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT',
  'Access-Control-Allow-Headers': 'Authorization, Upload-Offset, Range, Content-Type',
  'Access-Control-Max-Age': '86400',
}

export const isBlobPath = (path: string): boolean => path.startsWith(PREFIX)

export class BlobRoutes {
  readonly #parts: RelayParts
  readonly #uploads: BlobUploads

  constructor(parts: RelayParts, uploads: BlobUploads) {
    this.#parts = parts
    this.#uploads = uploads
  }

  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    for (const [name, value] of Object.entries(crossOrigin)) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return void response.writeHead(204, preflight).end()
    const blob = path.slice(PREFIX.length)
    if (!isBlobId(blob)) throw new CodedError('blob-unknown')
    const routed = { request, response, blob }
    if (request.method === 'PUT') return this.#put(routed)
    if (request.method === 'HEAD' && request.headers.authorization !== undefined) return this.#head(routed)
    if (request.method === 'GET' || request.method === 'HEAD') return this.#get(routed)
    response.writeHead(405, { Allow: 'GET, HEAD, PUT, OPTIONS' }).end()
  }

  async #put({ request, response, blob }: Routed): Promise<void> {
    const stored = await blobForToken(this.#parts, blob, tokenOf(request))
    const offset = numberIn(request.headers['upload-offset'])
    if (offset === undefined)
      throw new CodedError('bad-field', { field: 'Upload-Offset', rule: 'this header says where the piece begins' })
    if (offset + (numberIn(request.headers['content-length']) ?? 0) > stored.size) {
      // Its body is not read: without this the relay would take in all of it only to drop it.
      response.setHeader('Connection', 'close')
      throw new CodedError('too-large', { what: 'The blob', max: stored.size })
    }
    const abort = (): void => void request.destroy()
    const uploaded = await this.#uploads.write(blob, stored, { offset, body: request, abort })
    response.setHeader('Upload-Offset', uploaded.length)
    response.writeHead(uploaded.kind === 'written' ? 204 : 409).end()
  }

  async #head({ request, response, blob }: Routed): Promise<void> {
    const stored = await blobForToken(this.#parts, blob, tokenOf(request))
    const length = await uploadedLength(this.#parts, blob, stored)
    response.setHeader('Upload-Offset', length)
    if (length === stored.size) response.setHeader('Content-Length', length)
    response.writeHead(200).end()
  }

  async #get({ request, response, blob }: Routed): Promise<void> {
    const stored = await this.#parts.store.getBlob(blob)
    if (stored?.state !== 'complete') throw new CodedError('blob-unknown')
    const range = parseByteRange(request.headers.range, stored.size)
    if (range.kind === 'unsatisfiable') {
      response.writeHead(416, { 'Content-Range': `bytes */${stored.size}` }).end()
      return
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
    await pipeline(body, response.writeHead(status, headers))
  }
}

function tokenOf(request: IncomingMessage): string {
  const [, token] = /^Bearer ([A-Za-z0-9_-]+)$/.exec(request.headers.authorization ?? '') ?? []
  if (token === undefined) throw new CodedError('unauthenticated', { why: 'the upload token is missing' })
  return token
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined
}
