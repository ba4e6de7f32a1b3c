// What the parser of HTTP refuses: a status and {error, code} like every other refusal, and never inside of another answer.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { CodedError } from '@postern/protocol'
import type { RelayLimits } from '../limits/relay-limits.ts'

type ParserFault = Error & { code?: string }
/** `ahead` is the answer that has to be given before this one. */
type Exchange = { request: IncomingMessage; response: ServerResponse; ahead: ServerResponse | undefined }
type Refusal = { status: string; field: string; rule: string }

export function heedMalformed(server: Server, limits: RelayLimits): void {
  const latest = new WeakMap<Socket, Exchange>()
  const refused = new WeakSet<Socket>()
  server.prependListener('request', (request, response) => {
    const { socket } = request
    latest.set(socket, { request, response, ahead: latest.get(socket)?.response })
  })
  server.on('clientError', (fault: ParserFault, stream) => {
    const socket = stream as Socket
    // What comes behind the first fault is refused with it.
    if (refused.has(socket)) return
    refused.add(socket)
    const { request, response, ahead } = latest.get(socket) ?? {}
    const refuse = () => tell(socket, refusalOf(fault, limits), limits)
    if (!request || !response || response.closed) return refuse()
    // The fault lies behind the request: that one is answered first.
    if (request.complete) return whenGiven(response, refuse)
    whenGiven(ahead, () => {
      if (!response.headersSent) refuse()
      // It was refused before its body came.
      else if (response.writableEnded) socket.end()
      else socket.destroy()
    })
  })
  // Left to itself, the server would hang up without a word.
  server.on('connect', (_, stream) => {
    const socket = stream as Socket
    socket.on('error', () => socket.destroy())
    // The server does not look after it any more: an answer that stands still would keep its place for ever.
    socket.setTimeout(limits.httpIdleMs, () => socket.destroy())
    whenGiven(latest.get(socket)?.response, () => tell(socket, noMethod, limits))
  })
}

/** Calls at once when there is none, or when it was given already. */
function whenGiven(answer: ServerResponse | undefined, call: () => void): void {
  if (!answer || answer.closed) call()
  else answer.once('close', call)
}

/** Node would answer this by a status alone. */
export function assertHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw new CodedError('bad-field', { field: 'Host', rule: 'this header is required' })
}

const noMethod: Refusal = { status: '405 Method Not Allowed', field: 'method', rule: 'it is not known here' }

function refusalOf({ code = '' }: ParserFault, { requestHeadBytesMax }: RelayLimits): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return {
        status: '431 Request Header Fields Too Large',
        field: 'headers',
        rule: `the address and the headers together have at most ${requestHeadBytesMax} bytes`,
      }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: '408 Request Timeout', field: 'request', rule: 'it comes too slowly' }
    case 'HPE_INVALID_METHOD':
      return noMethod
    default:
      return { status: '400 Bad Request', field: 'request', rule: 'it is not valid HTTP' }
  }
}

function tell(socket: Socket, { status, field, rule }: Refusal, { httpIdleMs }: RelayLimits): void {
  if (!socket.writable) return void socket.destroy()
  const { message, code } = new CodedError('bad-field', { field, rule })
  const body = JSON.stringify({ error: message, code })
  // Whoever does not hang up in turn would keep its place.
  socket.setTimeout(httpIdleMs, () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
