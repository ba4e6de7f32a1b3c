// Posts one push. The address is checked after it is resolved, and the connection goes to that address.
import { lookup as systemLookup } from 'node:dns'
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import https from 'node:https'
import { type Clock, Deferred, pushLimits, systemCodeOf } from '@postern/protocol'
import { isInside } from './inside-addresses.ts'
import type { PushHosts } from './push-hosts.ts'

// An import would load undici for its re-exported names: 13 MiB that nothing here uses.
const http = process.getBuiltinModule('node:http')

export type PushPost = { endpoint: URL; headers: Readonly<Record<string, string>>; body: Buffer }
/** `failed`: there was no answer; `code` says why. */
export type PushAnswer =
  | { kind: 'answered'; status: number; retryAfter: string | undefined }
  | { kind: 'failed'; code: string }
export type LookUp = typeof systemLookup

/** No answer came, and none can come from this address. */
const INSIDE = 'EINSIDE'

type Parts = { clock: Clock; hosts: PushHosts; lookUp?: LookUp | undefined }

export class PushPoster {
  readonly #parts: Parts
  readonly #agents = {
    'https:': new https.Agent({
      keepAlive: true,
      maxFreeSockets: pushLimits.requestsPerHostMax,
      timeout: pushLimits.idleMs,
    }),
    'http:': new http.Agent({
      keepAlive: true,
      maxFreeSockets: pushLimits.requestsPerHostMax,
      timeout: pushLimits.idleMs,
    }),
  }

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Never rejects. Redirects are not followed. */
  async post({ endpoint, headers, body }: PushPost, signal: AbortSignal): Promise<PushAnswer> {
    const { hosts } = this.#parts
    // Its host may have been allowed when the subscription was set, and not any more.
    if (hosts.refusalOf(endpoint.href) !== undefined) return { kind: 'failed', code: INSIDE }
    const isPlain = endpoint.protocol === 'http:'
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'Content-Length': String(body.length) },
      agent: this.#agents[isPlain ? 'http:' : 'https:'],
      maxHeaderSize: pushLimits.answerHeadBytesMax,
      ...(hosts.isListed(endpoint) ? {} : { lookup: this.#checkedLookUp() }),
    }
    const request = (isPlain ? http : https).request(endpoint, options)
    return await this.#answerOf(request, body, signal)
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  async #answerOf(request: ClientRequest, body: Buffer, signal: AbortSignal): Promise<PushAnswer> {
    const answered = new Deferred<PushAnswer>()
    const give = (code: string): void => {
      answered.resolve({ kind: 'failed', code })
      request.destroy()
    }
    answered.after(this.#parts.clock, pushLimits.answerWithinMs, () => give('ETIMEDOUT'))
    answered.onAbort(signal, () => give('ECANCELED'))
    request.on('error', error => give(systemCodeOf(error) || 'ECONNRESET'))
    request.on('close', () => give('ECONNRESET'))
    request.on('response', (response: IncomingMessage) => {
      const status = response.statusCode ?? 0
      answered.resolve({ kind: 'answered', status, retryAfter: response.headers['retry-after'] })
      discard(response)
    })
    request.end(body)
    return await answered.promise
  }

  /** The connection is made to one of these addresses: nobody asks again, so another answer changes nothing. */
  #checkedLookUp(): NonNullable<RequestOptions['lookup']> {
    const lookUp = this.#parts.lookUp ?? systemLookup
    return (host, options, done) => {
      lookUp(host, { ...options, all: true }, (error, found) => {
        const allowed = error ? [] : found.filter(({ address }) => !isInside(address))
        const [first] = allowed
        if (error || !first) return done(error ?? Object.assign(new Error('inside'), { code: INSIDE }), '', 4)
        if (options.all) return done(null, allowed)
        done(null, first.address, first.family)
      })
    }
  }
}

/** A short answer is read, so that its connection is used again; a long or slow one is cut. */
function discard(response: IncomingMessage): void {
  let bytes = 0
  response.on('error', () => undefined)
  response.on('data', (piece: Buffer) => {
    bytes += piece.length
    if (bytes > pushLimits.answerBytesMax) response.destroy()
  })
  response.setTimeout(pushLimits.answerRestMs, () => response.destroy())
}
