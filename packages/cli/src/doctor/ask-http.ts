// One HTTP request of the doctor: it follows no redirect, reads little, and ends in time whatever the answer.
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { TLSSocket } from 'node:tls'
import { urlToHttpOptions } from 'node:url'
import { type Clock, Deferred, doctorLimits, systemCodeOf } from '@postern/protocol'
import { type NetworkFault, networkFault } from './network-faults.ts'

const http = process.getBuiltinModule('node:http')

export type HttpQuestion = {
  url: string
  /** Replaces the path of the address literally: dots in it are not resolved. */
  path?: string
  method: 'GET' | 'OPTIONS' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
}

export type HttpAnswer =
  | {
      kind: 'answer'
      status: number
      headers: IncomingHttpHeaders
      /** Its beginning. */
      body: string
      /** When the certificate expires; undefined without TLS. */
      expiresMs: number | undefined
    }
  | ({ kind: 'none' } & NetworkFault)

export async function askHttp(question: HttpQuestion, clock: Clock): Promise<HttpAnswer> {
  const { url, path, method, headers = {}, body } = question
  const target = new URL(url)
  const { request: begin } = target.protocol === 'https:' ? https : http
  const options = { ...urlToHttpOptions(target), ...(path !== undefined && { path }) }
  try {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = begin({
      ...options,
      method,
      agent: false,
      headers: { 'user-agent': 'Postern', ...length, ...headers },
    })
    const answer = answerTo(request, clock)
    request.end(body)
    return await answer
  } catch (error) {
    // An address that can be parsed and not requested, for example with characters that no request can carry.
    return { kind: 'none', ...networkFault(systemCodeOf(error)) }
  }
}

async function answerTo(request: ClientRequest, clock: Clock): Promise<HttpAnswer> {
  const wait = new Deferred<HttpAnswer>()
  const { answerWithinMs } = doctorLimits
  let begun: Begun | undefined
  const end = (fault: NetworkFault): void => wait.resolve(begun ? answerOf(begun) : { kind: 'none', ...fault })
  wait.after(clock, answerWithinMs, () => end({ why: `it did not answer within ${answerWithinMs / 1000} seconds` }))
  wait.onSettled(() => request.destroy())
  request.on('response', response => {
    begun = { response, read: new Reading(response), expiresMs: expiryOf(response) }
    begun.read.onEnd(() => end({ why: '' }))
  })
  // Also after the end: nobody else handles a late error.
  request.on('error', error => end(networkFault(systemCodeOf(error))))
  request.on('close', () => end({ why: 'it closed the connection' }))
  return await wait.promise
}

type Begun = { response: IncomingMessage; read: Reading; expiresMs: number | undefined }

const answerOf = ({ response: { statusCode = 0, headers }, read, expiresMs }: Begun): HttpAnswer => ({
  kind: 'answer',
  status: statusCode,
  headers,
  body: read.text,
  expiresMs,
})

/** Read when the answer begins: a closed connection no longer has its certificate. */
function expiryOf({ socket }: IncomingMessage): number | undefined {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  return certificate?.validToDate.getTime()
}

/** The bytes received so far, up to a limit. */
class Reading {
  readonly #response: IncomingMessage
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(response: IncomingMessage) {
    this.#response = response
    response.on('error', () => undefined)
  }

  onEnd(end: () => void): void {
    this.#response.on('close', end)
    this.#response.on('end', end)
    this.#response.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes >= doctorLimits.answerBytesMax) end()
    })
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(0, doctorLimits.answerBytesMax).toString('utf8')
  }
}
