// Delivers one update with one POST within a deadline. Usually only the status of the answer is read.
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { type Clock, Deferred, gatewayLimits } from '@postern/protocol'
import { WebhookSigner } from './sign.ts'

// Importing it would load undici for the names that it re-exports: 13 MiB that nobody here uses.
const http = process.getBuiltinModule('node:http')

export type DeliveryOutcome =
  | { kind: 'delivered' }
  /** There was nothing to post. */
  | { kind: 'passed' }
  | { kind: 'failed'; error: string }
  | { kind: 'stopped' }

export type ReceiverOptions = { url: string; secret: string; previousSecret?: string; account: string; clock: Clock }

/** The receiver of updates: one attempt for each call. */
export type UpdateReceiver = {
  deliver(update: { id: number; json: string }, stop: AbortSignal): Promise<DeliveryOutcome>
  close(): void
}

/** Reads the body of a good answer. Undefined: it is discarded, as without this function. */
export type ReadAnswer = (response: IncomingMessage) => Promise<DeliveryOutcome> | undefined

export type PostContext = { stop: AbortSignal; read?: ReadAnswer }

const oneConnection = { keepAlive: true, maxSockets: 1, maxFreeSockets: 1 }

/** Posts JSON to one address over one connection that is kept. */
export class JsonPoster {
  readonly #clock: Clock
  readonly #agent: Agent
  /** The same for every request: parsed once. */
  readonly #target: RequestOptions
  readonly #request: (options: RequestOptions) => ClientRequest

  constructor({ url: address, clock }: Pick<ReceiverOptions, 'url' | 'clock'>) {
    this.#clock = clock
    const url = new URL(address)
    const client = url.protocol === 'https:' ? https : http
    this.#agent = new client.Agent(oneConnection)
    this.#target = { ...urlToHttpOptions(url), method: 'POST', agent: this.#agent }
    this.#request = client.request
  }

  close(): void {
    this.#agent.destroy()
  }

  /** One attempt: any failure, even the reset of a kept connection, counts for the delays between attempts. */
  post(json: string, headers: Record<string, string>, context: PostContext): Promise<DeliveryOutcome> {
    const request = this.#request({
      ...this.#target,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(json),
        'user-agent': 'Postern',
        ...headers,
      },
    })
    const outcome = outcomeOf(request, { clock: this.#clock, ...context })
    // As a string it is sent in one write with the head.
    request.end(json)
    return outcome
  }
}

export class WebhookReceiver implements UpdateReceiver {
  readonly #options: ReceiverOptions
  readonly #signer: WebhookSigner
  readonly #poster: JsonPoster

  constructor(options: ReceiverOptions) {
    this.#options = options
    this.#signer = new WebhookSigner(options.secret, options.previousSecret)
    this.#poster = new JsonPoster(options)
  }

  close(): void {
    this.#poster.close()
  }

  deliver({ id, json }: { id: number; json: string }, stop: AbortSignal): Promise<DeliveryOutcome> {
    const timestampSec = Math.floor(this.#options.clock.nowMs() / 1000)
    const headers = this.#signer.headers({ id: `${this.#options.account}_${id}`, timestampSec, body: json })
    return this.#poster.post(json, headers, { stop })
  }
}

type Surroundings = PostContext & { clock: Clock }

function outcomeOf(request: ClientRequest, { clock, stop, read }: Surroundings): Promise<DeliveryOutcome> {
  const wait = new Deferred<DeliveryOutcome>()
  let isLate = false
  let isAnswered = false
  let isReading = false
  const timer = clock.setTimer(gatewayLimits.webhookAnswerWithinMs, () => {
    isLate = true
    request.destroy()
  })
  wait.onSettled(() => timer.cancel())
  wait.onAbort(stop, () => {
    request.destroy()
    // A call in the body may take long, and nobody waits for it any more.
    if (isReading) wait.resolve({ kind: 'stopped' })
  })
  request.on('response', response => {
    isAnswered = true
    const outcome = outcomeOfStatus(response.statusCode ?? 0)
    const reading = outcome.kind === 'delivered' ? read?.(response) : undefined
    timer.cancel()
    // The reader sets the limits of its body.
    isReading = reading !== undefined
    if (reading) return void reading.then(outcome => wait.resolve(outcome), fail)
    discardBody(response, clock)
    response.on('close', () => wait.resolve(outcome))
  })
  const fail = (error: NodeJS.ErrnoException) => {
    if (stop.aborted) wait.resolve({ kind: 'stopped' })
    else if (isLate) wait.resolve({ kind: 'failed', error: lateError })
    else wait.resolve({ kind: 'failed', error: errorOf(error) })
  }
  request.on('error', fail)
  // Closed without an answer and without an error, for example after an answer that is not HTTP.
  request.on('close', () => {
    if (!isAnswered) wait.resolve(stop.aborted ? { kind: 'stopped' } : { kind: 'failed', error: cutError })
  })
  return wait.promise
}

const lateError = `The receiver did not answer within ${gatewayLimits.webhookAnswerWithinMs / 1000} seconds.`

const cutError = 'The receiver cut the connection.'

const errorOf = ({ code }: NodeJS.ErrnoException): string =>
  code === 'ECONNRESET' || code === 'EPIPE'
    ? cutError
    : `The receiver could not be reached (${code ?? 'unknown reason'}).`

function outcomeOfStatus(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const isRedirect = status >= 300 && status < 400
  return {
    kind: 'failed',
    error: `The receiver answered ${status}${isRedirect ? '; redirects are not followed' : ''}.`,
  }
}

/** A body that is large or slow costs a connection, never memory or the next update's turn. */
function discardBody(response: IncomingMessage, clock: Clock): void {
  let bytesRead = 0
  const timer = clock.setTimer(gatewayLimits.webhookBodyWithinMs, () => response.destroy())
  response.on('data', (chunk: Buffer) => {
    bytesRead += chunk.length
    if (bytesRead > gatewayLimits.webhookBodyBytesMax) response.destroy()
  })
  response.on('error', () => undefined)
  response.on('close', () => timer.cancel())
}
