// Calls the gateway: one request for an operation of the table, repeated under the same key until it is answered.
import { ApiError, apiErrorOf, ConnectionError, isAway } from './api-error.ts'
import { operations } from './api-types.ts'
import { type Clock, pause, systemClock } from './clock.ts'
import { chunksOf, downloadOf, type FileSource, isRepeatable, type NamedFile, streamOf, watchedFile } from './files.ts'
import { formAround } from './multipart.ts'

export type OperationName = keyof typeof operations
export type Params = Readonly<Record<string, unknown>>
export type Call = {
  /** The same key within 24 hours returns the first result, and nothing is sent twice. By default random. */
  key?: string | undefined
  signal?: AbortSignal | undefined
  /** As in the options of the bot, for this call. */
  retryForMs?: number | undefined
}

export type ClientOptions = {
  url: string
  token: string
  fetch?: typeof fetch | undefined
  /** How long a call is repeated while the gateway cannot be reached or answers 502 or 503. By default a minute. */
  retryForMs?: number | undefined
  clock?: Clock | undefined
  random?: (() => number) | undefined
}

const RETRY_FOR_MS = 60_000
const FIRST_DELAY_MS = 500
const DELAY_MS_MAX = 15_000
/** Longer than any poll: an answer that takes longer than this will not come. */
const ANSWER_WITHIN_MS = 100_000

type Operation = (typeof operations)[OperationName]
type Asked = { params: Params; key: string; files: readonly NamedFile[] }
type Attempt = { name: OperationName; params: Params; key: string; signal: AbortSignal | undefined }

export class Client {
  readonly clock: Clock
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') }
    this.clock = options.clock ?? systemClock
  }

  async call(
    name: OperationName,
    params: Params,
    { key = crypto.randomUUID(), signal, retryForMs }: Call = {},
  ): Promise<unknown> {
    const canRepeat = filesOf(params).every(({ file }) => isRepeatable(file))
    const forMs = canRepeat ? (retryForMs ?? this.#options.retryForMs ?? RETRY_FOR_MS) : 0
    const startedMs = this.clock.nowMs()
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, DELAY_MS_MAX)) {
      try {
        return await this.#attempt({ name, params, key, signal })
      } catch (error) {
        signal?.throwIfAborted()
        const waitMs = this.#waitAfter(error, delayMs)
        if (waitMs === undefined || this.clock.nowMs() - startedMs + waitMs > forMs) throw error
        await pause(this.clock, waitMs, signal)
        signal?.throwIfAborted()
      }
    }
  }

  /** Undefined: the next attempt would get the same answer. */
  #waitAfter(error: unknown, delayMs: number): number | undefined {
    const { random = Math.random } = this.#options
    // Bots that lost the same gateway must not all come back in one moment.
    const spreadMs = delayMs * (0.5 + random() / 2)
    if (!isAway(error)) return undefined
    return (error instanceof ApiError ? error.retryAfterMs : undefined) ?? spreadMs
  }

  async #attempt({ name, params, key, signal }: Attempt): Promise<unknown> {
    const operation: Operation = operations[name]
    const { fetch: ask = fetch } = this.#options
    const watched = filesOf(params).map(watchedFile)
    const { url, ...request } = this.#requestOf(operation, { params, key, files: watched })
    const late = new AbortController()
    const isQuick = operation.request !== 'form' && operation.request !== 'bytes'
    const timer = isQuick ? this.clock.setTimer(ANSWER_WITHIN_MS, () => late.abort()) : undefined
    try {
      const signals = signal ? [signal, late.signal] : [late.signal]
      const response = await ask(url, { ...request, signal: AbortSignal.any(signals) })
      if (!response.ok) throw await apiErrorOf(name, response)
      if (operation.answer === 'stream') return downloadOf(response)
      return operation.answer === 'text' ? await response.text() : await response.json()
    } catch (error) {
      if (error instanceof ApiError || signal?.aborted) throw error
      // Not a fault of the gateway: a source that always fails would make its update wait forever.
      for (const { fault } of watched) if (fault) throw fault.error
      throw new ConnectionError(`${name}: the gateway at ${this.#options.url} did not answer.`, { cause: error })
    } finally {
      timer?.cancel()
    }
  }

  #requestOf(operation: Operation, { params, key, files }: Asked): RequestInit & { url: string } {
    const { token, url } = this.#options
    const { path, query, rest } = placed(operation, params)
    const { contentType, body } = bodyOf(operation, { rest, files })
    const headers = {
      authorization: `Bearer ${token}`,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...(operation.keyed && { 'idempotency-key': key }),
    }
    // Without `duplex`, fetch rejects a streaming body.
    const sent = body === undefined ? {} : { body, duplex: 'half' }
    return { url: `${url}${path}${query}`, method: operation.method, headers, ...sent }
  }
}

/** Each parameter in its place: path and query, and the rest in the body. */
function placed(operation: Operation, params: Params): { path: string; query: string; rest: Params } {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined))
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name)
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name}: must be a text that is not empty`)
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const name of operation.query) {
    if (rest.has(name)) query.set(name, String(rest.get(name)))
    rest.delete(name)
  }
  return { path, query: query.size > 0 ? `?${query}` : '', rest: Object.fromEntries(rest) }
}

type SentBody = { contentType?: string; body?: string | ReadableStream<Uint8Array> }

/** One, several, or none. */
function filesOf(params: Params): NamedFile[] {
  const { file, name, files = [] } = params as { file?: FileSource; name?: string; files?: NamedFile[] }
  return file === undefined ? files : [{ file, name }]
}

type BodyParts = { rest: Params; files: readonly NamedFile[] }

function bodyOf({ request }: Operation, { rest, files }: BodyParts): SentBody {
  switch (request) {
    case 'none':
      return {}
    case 'json':
      return { contentType: 'application/json', body: JSON.stringify(rest) }
    case 'bytes':
      return { contentType: String(rest['type']), body: streamOf(chunksOf(files[0]?.file ?? new Uint8Array())) }
    case 'form': {
      const { file: _, files: __, name: ___, ...fields } = rest
      const { contentType, chunks } = formAround({ fields, files })
      return { contentType, body: streamOf(chunks) }
    }
  }
}
