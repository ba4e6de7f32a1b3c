// Sends requests to an object store: signs each attempt, and retries a few times when that may help.
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Clock, CodedError, type Log, pause, relayFixedLimits, silentLog, systemCodeOf } from '@postern/protocol'
import type { RelayLimits } from '../../limits/relay-limits.ts'
import type { S3Credentials, S3Place } from '../blob-place.ts'
import { CredentialCache } from './credential-cache.ts'
import { fetchCredentials } from './credential-sources.ts'
import { faultIn, textOf } from './read-answers.ts'
import { CredentialFault, isS3Fault, S3Fault } from './s3-fault.ts'
import { newAgent, type S3Line, sendRequest } from './send-request.ts'
import { queryText, signRequest } from './sign-request.ts'

export type S3Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Without a key, the request concerns the bucket itself. */
  key?: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: readonly Uint8Array[]
}

type ClientContext = { clock: Clock; limits: RelayLimits; log?: Log | undefined }

export type S3Answer = { headers: IncomingHttpHeaders; text: string }

const { objectStoreTriesMax, objectStoreRetryMs, objectStoreConnectionsMax } = relayFixedLimits

export class S3Client {
  readonly line: S3Line
  readonly #place: S3Place
  readonly #credentials: CredentialCache
  readonly #closed = new AbortController()

  constructor(place: S3Place, { clock, limits, log = silentLog }: ClientContext) {
    this.#place = place
    const env = place.environment()
    const ca = readBundle(env['AWS_CA_BUNDLE'])
    const agent = newAgent(place.endpoint, { maxSockets: objectStoreConnectionsMax, ca })
    this.line = { agent, clock, idleMs: () => limits.objectStoreIdleMs }
    const context = { env, region: place.region, ca, line: this.line }
    this.#credentials = new CredentialCache(() => fetchCredentials(context), { clock, log })
  }

  /** Throws `S3Fault` for every unsuccessful answer. */
  async ask(request: S3Request): Promise<S3Answer> {
    return await this.#again(async () => {
      const answer = await this.#send(request)
      const text = await textOf(answer)
      // A slow answer begins with a success status and reports the error in its body.
      if (!isSuccess(answer) || text.includes('<Error>')) throw faultIn(text, answer.statusCode ?? 0)
      return { headers: answer.headers, text }
    })
  }

  /** Like `ask`, but the caller reads the body. */
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
        // With other keys, the same request may succeed immediately.
        if (tries === 1 && isS3Fault(error, ...OTHER_KEYS) && this.#credentials.refused()) continue
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
    const credentials = await this.#currentCredentials()
    const nowMs = this.line.clock.nowMs()
    const signed = signRequest(
      { method, path: url.pathname, query, headers: given, body },
      { credentials, region, nowMs },
    )
    url.search = queryText(query)
    return await sendRequest({ url, method, headers: signed, body }, this.line)
  }

  async #currentCredentials(): Promise<S3Credentials> {
    try {
      return await this.#credentials.current()
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new CredentialFault(`no credentials: ${why}`, 0, { cause })
    }
  }
}

/** Codes for keys that the store no longer knows, or does not know yet. */
const OTHER_KEYS = ['ExpiredToken', 'InvalidToken', 'InvalidAccessKeyId', 'TokenRefreshRequired']

function readBundle(path: string | undefined): string | undefined {
  if (!path) return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const rule = `${path} cannot be read (${systemCodeOf(cause)})`
    throw new CodedError('bad-field', { field: 'AWS_CA_BUNDLE', rule }, { cause })
  }
}

const lengthOf = (body: readonly Uint8Array[]): number => body.reduce((sum, { length }) => sum + length, 0)

const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300
