// Sends one request to an object store and returns the head of the answer. A silent server causes a timeout.
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { type Clock, Deferred, systemCodeOf, type Timer } from '@postern/protocol'
import { S3Fault } from './s3-fault.ts'

// An import would load undici for its re-exported names: 13 MiB that nothing here uses.
const http = process.getBuiltinModule('node:http')

export type S3Sent = {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: readonly Uint8Array[]
}

export type S3Line = { agent: Agent; clock: Clock; idleMs: () => number }

/** `ca`: the authorities that verify the server's certificate, in place of Node's own. */
export const newAgent = (url: string, { maxSockets, ca }: { maxSockets: number; ca?: string | undefined }): Agent =>
  new (clientOf(new URL(url)).Agent)({
    keepAlive: true,
    maxSockets,
    maxFreeSockets: maxSockets,
    ...(ca === undefined ? {} : { ca }),
  })

const clientOf = (url: URL): typeof http | typeof https => (url.protocol === 'https:' ? https : http)

/** Throws `S3Fault` if there is no answer. The caller must read or destroy the body. */
export async function sendRequest({ url, method, headers, body }: S3Sent, line: S3Line): Promise<IncomingMessage> {
  const request = clientOf(url).request(url, { method, headers, agent: line.agent })
  const answered = new Deferred<IncomingMessage>()
  const patience = new RequestRetry(line, () => void request.destroy(new S3Fault('ETIMEDOUT', 0)))
  answered.onSettled(() => patience.end())
  // Also after the answer: an error event without a listener would end the process.
  request.on('error', error => answered.reject(faultOf(error)))
  request.on('close', () => answered.reject(new S3Fault('ECONNRESET', 0)))
  request.on('response', response => {
    response.on('error', () => undefined)
    answered.resolve(response)
  })
  const sending = sendBody(request, body, { patience, answered })
  try {
    return await answered.promise
  } catch (error) {
    request.destroy()
    throw error
  } finally {
    // An answer before the body is sent is a refusal: the connection is then closed.
    if (!request.writableEnded) request.destroy()
    await sending
  }
}

/** Never rejects: a failure shows as the end of the request. */
async function sendBody(
  request: ClientRequest,
  body: readonly Uint8Array[],
  { patience, answered }: { patience: RequestRetry; answered: { isSettled: boolean } },
): Promise<void> {
  for (const bytes of body) {
    if (request.destroyed) return
    const written = new Deferred()
    const end = () => written.resolve()
    request.once('close', end)
    written.onSettled(() => request.off('close', end))
    request.write(bytes, end)
    await written.promise
    if (!answered.isSettled) patience.begin()
  }
  if (!request.destroyed) request.end()
}

/**
 * The pieces of an answer. The timeout runs only while waiting for the next piece.
 * Throws `S3Fault` if the body breaks off.
 */
export async function* bodyOf(answer: IncomingMessage, line: S3Line): AsyncGenerator<Uint8Array> {
  const pieces = (answer as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const patience = new RequestRetry(line, () => void answer.destroy(new S3Fault('ETIMEDOUT', 0)))
  try {
    for (;;) {
      patience.begin()
      const next = await pieces.next()
      patience.end()
      if (next.done) break
      yield next.value
    }
    if (!answer.complete) throw new S3Fault('ECONNRESET', 0)
  } catch (error) {
    throw faultOf(error)
  } finally {
    patience.end()
    answer.destroy()
  }
}

class RequestRetry {
  readonly #line: S3Line
  readonly #giveUp: () => void
  #timer: Timer | undefined

  constructor(line: S3Line, giveUp: () => void) {
    this.#line = line
    this.#giveUp = giveUp
    this.begin()
  }

  /** Restarts the timeout after each sign of life. */
  begin(): void {
    this.#timer?.cancel()
    this.#timer = this.#line.clock.setTimer(this.#line.idleMs(), this.#giveUp)
  }

  end(): void {
    this.#timer?.cancel()
  }
}

const faultOf = (error: unknown): S3Fault =>
  error instanceof S3Fault ? error : new S3Fault(systemCodeOf(error) || 'ECONNRESET', 0, { cause: error })
