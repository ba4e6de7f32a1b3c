// What the parser of HTTP refuses: an answer like any other, behind those that are still due and never inside of one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CodedError, gatewayLimits } from '@postern/protocol'
import { badField, type ErrorAnswer, errorAnswer } from './errors.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** As Node emits it; the types of the server know less, and think that its bytes are JSON. */
type ParserFault = Error & { code?: string; reason?: string; bytesParsed?: number; rawPacket?: unknown }
/** `ahead` is the answer that has to be given before this one. */
type Exchange = { request: IncomingMessage; response: ServerResponse; ahead: ServerResponse | undefined }

const latest = new WeakMap<Socket, Exchange>()
const refused = new WeakSet<Socket>()

/** From here on it is known what a connection is busy with. */
export function heedMalformed(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    latest.set(socket, { request, response, ahead: latest.get(socket)?.response })
  })
  // Left to itself, the server would hang up without a word.
  server.on('connect', (_, stream) => {
    const socket = stream as Socket
    // Whoever has hung up does not need to be told.
    socket.on('error', () => socket.destroy())
    // The server does not look after it any more: an answer that stands still would keep a descriptor for ever.
    socket.setTimeout(gatewayLimits.refusedLingerMs, () => socket.destroy())
    whenGiven(latest.get(socket)?.response, () => refuse(socket, methodUnknown('CONNECT')))
  })
}

export function refuseMalformed(fault: ParserFault, socket: Socket): void {
  // What comes behind the first fault is refused with it.
  if (refused.has(socket)) return
  refused.add(socket)
  const { request, response, ahead } = latest.get(socket) ?? {}
  if (!request || !response || response.closed) return refuse(socket, errorOf(fault))
  // The fault lies behind the request: that one is answered first.
  if (request.complete) return whenGiven(response, () => refuse(socket, errorOf(fault)))
  whenGiven(ahead, () => refuseBody(fault, { socket, response }))
}

/** Calls at once when there is none, or when it was given already. */
function whenGiven(answer: ServerResponse | undefined, call: () => void): void {
  if (!answer || answer.closed) call()
  else answer.once('close', call)
}

function refuseBody(fault: ParserFault, { socket, response }: { socket: Socket; response: ServerResponse }): void {
  if (!response.headersSent) return refuse(socket, errorOf(fault, 'body'))
  // It was refused before its body came.
  if (response.writableEnded) socket.end()
  else socket.destroy()
}

/** What a request has to have before anybody looks at its address. */
export function assertValid({ httpVersion, httpVersionMajor, headers }: IncomingMessage): void {
  if (httpVersionMajor !== 1) throw badField('request', NO_HTTP)
  if (httpVersion === '1.1' && headers.host === undefined) throw badField('Host', 'this header is required')
}

const NO_HTTP = 'it is not valid HTTP'

const methodUnknown = (method: string): CodedError => new CodedError('method-not-found', { method })

function errorOf(fault: ParserFault, where: 'request' | 'body' = 'request'): CodedError {
  const { code = '', reason = '' } = fault
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return badField(
        'headers',
        `the address and the headers together have at most ${gatewayLimits.requestHeadBytesMax} bytes`,
      )
    case 'HPE_INVALID_METHOD':
      return methodFault(fault)
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      return badField('Content-Length', 'it stands there twice')
    case 'HPE_INVALID_CONTENT_LENGTH':
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return lengthFault(code, reason)
    case 'HPE_INVALID_EOF_STATE':
      return badField(where, 'it ended early')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badField(where, 'it comes too slowly')
    default:
      return where === 'body' ? badField('body', 'its chunks are not valid') : badField('request', NO_HTTP)
  }
}

function lengthFault(code: 'HPE_INVALID_CONTENT_LENGTH' | 'HPE_INVALID_TRANSFER_ENCODING', reason: string): CodedError {
  if (reason.includes("can't be present with")) return badField('Content-Length', 'it stands beside Transfer-Encoding')
  return code === 'HPE_INVALID_CONTENT_LENGTH'
    ? badField('Content-Length', 'a whole number is required')
    : badField('Transfer-Encoding', 'chunked is the only one that is understood')
}

/** A line that is one but for its method; anything else is not even HTTP. */
function methodFault({ rawPacket, bytesParsed = 0 }: ParserFault): CodedError {
  const start = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, gatewayLimits.requestHeadBytesMax) : ''
  const method = /^([A-Za-z-]{1,32}) \S+ HTTP\/1\.[01]\r\n/.exec(start)?.[1]
  const isHere = method !== undefined && bytesParsed <= method.length
  return isHere ? methodUnknown(method) : badField('request', NO_HTTP)
}

function refuse(socket: Socket, error: CodedError): void {
  if (!socket.writable) return void socket.destroy()
  const { status, body }: ErrorAnswer = errorAnswer(error)
  const reason = status === 404 ? 'Not Found' : 'Bad Request'
  // Whoever does not hang up in turn would keep a descriptor for ever.
  socket.setTimeout(gatewayLimits.refusedLingerMs, () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
