// Asks a store of objects: each request signed anew, and sent again a few times when that may help.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Clock, pause, relayFixedLimits } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { S3Place } from '../blob-place.ts'
import { faultIn, textOf } from './read-answers.ts'
import { isS3Fault, S3Fault } from './s3-fault.ts'
import { newAgent, type S3Line, sendRequest } from './send-request.ts'
import { queryText, signRequest } from './sign-request.ts'

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without one the bucket itself is asked. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: readonly Uint8Array[]
}

export type S3Answer = { headers: IncomingHttpHeaders; text: string }

const { objectStoreTriesMax, objectStoreRetryMs, objectStoreConnectionsMax } = relayFixedLimits

export class S3Client {
  readonly line: S3Line
  readonly #place: S3Place
  readonly #closed = new AbortController()

  constructor(place: S3Place, { clock, limits }: { clock: Clock; limits: RelayLimits }) {
    this.#place = place
    const agent = newAgent(place.endpoint, objectStoreConnectionsMax)
    this.line = { agent, clock, idleMs: () => limits.objectStoreIdleMs }
  }

  /** Throws `S3Fault` for every answer that is no success. */
  async ask(request: S3Request): Promise<S3Answer> {
    return await this.#again(async () => {
      const answer = await this.#send(request)
      const text = await textOf(answer)
      // An answer that takes long begins with success, and says only then that it was none.
      if (!isSuccess(answer) || text.includes('<Error>')) throw faultIn(text, answer.statusCode ?? 0)
      return { headers: answer.headers, text }
    })
  }

  /** The same, and the body is left to whoever asked. */
  async open(request: S3Request): Promise<IncomingMessage> {
    return await this.#again(async () => {
      const answer = await this.#send(request)
      if (isSuccess(answer)) return answer
      throw faultIn(await textOf(answer), answer.statusCode ?? 0)
    })
  }

  close(): void {
    this.#closed.abort()
    this.line.agent.destroy()
  }

  async #again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      if (this.#closed.signal.aborted) throw new S3Fault('closed', 0)
      try {
        return await attempt()
      } catch (error) {
        if (!isS3Fault(error) || !error.isPassing || tries === objectStoreTriesMax) throw error
      }
      await pause(this.line.clock, objectStoreRetryMs * 2 ** (tries - 1), this.#closed.signal)
    }
  }

  async #send({ method, key, query = {}, headers = {}, body = [] }: S3Request): Promise<IncomingMessage> {
    const { bucket, endpoint, style, region } = this.#place
    const url = new URL(endpoint)
    if (style === 'host') url.host = `${bucket}.${url.host}`
    url.pathname = [style === 'path' ? `/${bucket}` : '', key].filter(step => step !== undefined).join('/') || '/'
    const given = { host: url.host, ...headers, 'content-length': String(lengthOf(body)) }
    const nowMs = this.line.clock.nowMs()
    const signed = signRequest(
      { method, path: url.pathname, query, headers: given, body },
      { credentials: this.#place.credentials(), region, nowMs },
    )
    url.search = queryText(query)
    return await sendRequest({ url, method, headers: signed, body }, this.line)
  }
}

const lengthOf = (body: readonly Uint8Array[]): number => body.reduce((sum, { length }) => sum + length, 0)

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300
