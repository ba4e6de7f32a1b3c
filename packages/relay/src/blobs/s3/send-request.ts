// One request to a store of objects and the head of its answer. Who is silent for too long is given up.
import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { type Clock, Deferred, systemCodeOf, type Timer } from '@postern/protocol'
import { S3Fault } from './s3-fault.ts'

// Imported, it would bring undici along for the names it passes on: 13 MiB that nobody here uses.
const http = process.getBuiltinModule('node:http')

export type S3Sent = {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: readonly Uint8Array[]
}

export type S3Line = { agent: Agent; clock: Clock; idleMs: () => number }

/** `ca`: the authorities by which the certificates of the server are checked, instead of those that Node knows. */
export const newAgent = (url: string, { maxSockets, ca }: { maxSockets: number; ca?: string | undefined }): Agent =>
  new (clientOf(new URL(url)).Agent)({
    keepAlive: true,
    maxSockets,
    maxFreeSockets: maxSockets,
    ...(ca === undefined ? {} : { ca }),
  })

const clientOf = (url: URL): typeof http | typeof https => (url.protocol === 'https:' ? https : http)

/** Throws `S3Fault` when there is no answer. Its body is for the caller to read, and to give up. */
export async function sendRequest({ url, method, headers, body }: S3Sent, line: S3Line): Promise<IncomingMessage> {
  const request = clientOf(url).request(url, { method, headers, agent: line.agent })
  const answered = new Deferred<IncomingMessage>()
  const patience = new RequestRetry(line, () => void request.destroy(new S3Fault('ETIMEDOUT', 0)))
  answered.onSettled(() => patience.end())
  // Also later than that: an error that nobody listens to would end the process.
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
    // Answered before all was sent, it is a refusal: then the line ends with it.
    if (!request.writableEnded) request.destroy()
    await sending
  }
}

/** Never rejects: what goes wrong is heard of as the end of the request. */
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

/** The pieces of an answer. Only while we wait for the next one is it the store that is slow. Throws `S3Fault` when it is cut. */
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

  /** Anew, with each sign of life. */
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
