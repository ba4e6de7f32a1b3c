// An object store for tests, stricter than most: it can fail, stall, cut and lie on request.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { S3Objects, S3Refusal } from './s3-objects.ts'
import { type S3Account, signatureFault } from './s3-signature.ts'

export type S3Operation = 'put' | 'get' | 'head' | 'delete' | 'list' | 'begin' | 'put-part' | 'complete' | 'abort'

export type S3Asked = { operation: S3Operation; key: string }

/**
 * `refuse`: with that name. `cut`: the connection, before anything is done. `lose`: everything is done, and the answer
 * is lost. `stall`: no answer. `hold`: a slow answer. `truncate`: the body ends early, and the connection with it.
 * `shorten`: it serves less than was requested, as if that were all.
 */
export type S3Trouble =
  | { kind: 'refuse'; code: string; status: number }
  | { kind: 'cut' | 'lose' | 'stall' | 'truncate' | 'shorten' }
  | { kind: 'hold'; until: Promise<void> }

/** `tls`: the certificate of `localhost` and of `blobs.localhost`, and its key. */
type Options = {
  nowMs?: () => number
  region?: string
  sessionToken?: string
  tls?: { cert: string; key: string } | undefined
}
type S3Reply = { status: number; headers?: Record<string, string | number>; body?: Buffer | string }

export class S3Server {
  readonly bucket = 'blobs'
  readonly account: S3Account
  readonly store = new S3Objects()
  /** The requests, in order. */
  readonly asked: S3Asked[] = []
  /** Called for every request with a valid signature. */
  trouble: (asked: S3Asked) => S3Trouble | undefined = () => undefined
  readonly #nowMs: () => number
  readonly #server: Server
  #url = ''

  private constructor({ nowMs = () => Date.now(), region = 'eu-test-1', sessionToken, tls }: Options) {
    this.#nowMs = nowMs
    const keys = { accessKeyId: 'alices-key', secretAccessKey: 'alices+secret/key' }
    this.account = { ...keys, region, ...(sessionToken === undefined ? {} : { sessionToken }) }
    const answer: RequestListener = (request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    }
    this.#server = tls ? createTlsServer(tls, answer) : createServer(answer)
  }

  static async start(options: Options = {}): Promise<S3Server> {
    const server = new S3Server(options)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    const { port } = server.#server.address() as AddressInfo
    server.#url = options.tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`
    return server
  }

  get url(): string {
    return this.#url
  }

  /** As the relay's setting has it. */
  address(prefix = 'of/alice', style: 'path' | 'host' = 'path'): string {
    return `s3://${this.bucket}/${prefix}?region=${this.account.region}&endpoint=${this.#url}&style=${style}`
  }

  get environment(): Record<string, string> {
    const { accessKeyId, secretAccessKey, sessionToken } = this.account
    const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey }
    return sessionToken === undefined ? keys : { ...keys, AWS_SESSION_TOKEN: sessionToken }
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    const fault = signatureFault(request, body, { account: this.account, nowMs: this.#nowMs() })
    const answer = fault === undefined ? await this.#served(request, body) : refusal(new S3Refusal(fault, 403))
    if (answer === 'stall') return
    if (answer === 'cut') return void response.destroy()
    send(request, response, answer)
  }

  async #served(request: IncomingMessage, body: Buffer): Promise<S3Reply | 'cut' | 'stall'> {
    try {
      const asked = this.#read(request)
      this.asked.push({ operation: asked.operation, key: asked.key })
      const trouble = this.trouble(asked)
      if (trouble?.kind === 'refuse') throw new S3Refusal(trouble.code, trouble.status)
      if (trouble?.kind === 'cut' || trouble?.kind === 'stall') return trouble.kind
      if (trouble?.kind === 'hold') await trouble.until
      const answer = this.#do(asked, request, body)
      if (trouble?.kind === 'lose') return 'cut'
      if (trouble?.kind === 'shorten') return { ...answer, body: Buffer.from(answer.body ?? '').subarray(1) }
      if (trouble?.kind !== 'truncate') return answer
      const whole = Buffer.from(answer.body ?? '')
      return { ...answer, headers: { ...answer.headers, 'Content-Length': whole.length }, body: whole.subarray(0, -1) }
    } catch (error) {
      if (error instanceof S3Refusal) return refusal(error)
      throw error
    }
  }

  #read(request: IncomingMessage): S3Asked & { query: URLSearchParams } {
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.#url)
    const isInHost = request.headers.host?.startsWith(`${this.bucket}.`) ?? false
    const path = isInHost ? `/${this.bucket}${pathname === '/' ? '' : pathname}` : pathname
    const [, bucket, ...steps] = path.split('/')
    if (bucket !== this.bucket) throw new S3Refusal('NoSuchBucket', 404)
    return { operation: operationOf(request, query, steps.length > 0), key: steps.join('/'), query }
  }

  #do(
    { operation, key, query }: S3Asked & { query: URLSearchParams },
    request: IncomingMessage,
    body: Buffer,
  ): S3Reply {
    const id = query.get('uploadId') ?? ''
    switch (operation) {
      case 'put':
        return { status: 200, headers: { ETag: this.store.put(key, body) } }
      case 'get':
        return ranged(this.store.get(key), request.headers.range)
      case 'head':
        return { status: 200, headers: { 'Content-Length': this.store.get(key).length } }
      case 'delete':
        this.store.objects.delete(key)
        return { status: 204 }
      case 'list': {
        const keys = this.store.list(query.get('prefix') ?? '', Number(query.get('max-keys')))
        return {
          status: 200,
          body: `<ListBucketResult>${keys.map(each => `<Contents><Key>${each}</Key></Contents>`).join('')}</ListBucketResult>`,
        }
      }
      case 'begin': {
        const begun = this.store.begin(key).replaceAll('&', '&amp;')
        return { status: 200, body: `<Initiated><UploadId>${begun}</UploadId></Initiated>` }
      }
      case 'put-part':
        return {
          status: 200,
          headers: { ETag: this.store.putPart(id, { key, number: Number(query.get('partNumber')) }, body) },
        }
      case 'complete':
        this.store.complete(id, key, body.toString())
        return { status: 200, body: '<CompleteMultipartUploadResult/>' }
      case 'abort':
        this.store.abort(id, key)
        return { status: 204 }
    }
  }
}

function operationOf({ method }: IncomingMessage, query: URLSearchParams, hasKey: boolean): S3Operation {
  if (!hasKey) return 'list'
  if (method === 'PUT') return query.has('partNumber') ? 'put-part' : 'put'
  if (method === 'POST') return query.has('uploads') ? 'begin' : 'complete'
  if (method === 'DELETE') return query.has('uploadId') ? 'abort' : 'delete'
  return method === 'HEAD' ? 'head' : 'get'
}

function ranged(bytes: Buffer, range: string | undefined): S3Reply {
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
  if (start === undefined) return { status: 200, body: bytes }
  if (Number(start) >= bytes.length) throw new S3Refusal('InvalidRange', 416)
  const last = Math.min(Number(end), bytes.length - 1)
  const headers = { 'Content-Range': `bytes ${start}-${last}/${bytes.length}` }
  return { status: 206, headers, body: bytes.subarray(Number(start), last + 1) }
}

const refusal = ({ code, status }: S3Refusal): S3Reply => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as asked for</Message><AWSAccessKeyId>alices-key</AWSAccessKeyId></Error>`,
})

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of request as AsyncIterable<Uint8Array>) pieces.push(piece)
  return Buffer.concat(pieces)
}

function send(request: IncomingMessage, response: ServerResponse, { status, headers = {}, body = '' }: S3Reply): void {
  const bytes = Buffer.from(body)
  const announced = Number(headers['Content-Length'] ?? bytes.length)
  response.writeHead(status, { 'Content-Length': bytes.length, ...headers })
  if (request.method === 'HEAD') return void response.end()
  if (announced === bytes.length) return void response.end(bytes)
  response.write(bytes, () => response.destroy())
}
