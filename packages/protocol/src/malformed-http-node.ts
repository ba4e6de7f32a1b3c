// Answers requests that the HTTP parser rejects, after the answers that are still due and never inside one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** As Node emits it; the server's types lack fields, and declare its bytes as JSON. */
export type ParserFault = Error & { code?: string; reason?: string; bytesParsed?: number; rawPacket?: unknown }

/** `status` with its reason phrase, `type` of the body. */
export type RawAnswer = { status: string; type: string; body: string }

export type MalformedOptions = {
  /** `body`: the fault is in the body of a request that has begun. */
  refusalOf(fault: ParserFault, where: 'request' | 'body'): RawAnswer
  /** A request for a tunnel. */
  connectRefusal(): RawAnswer
  /** A client that does not hang up would occupy a descriptor forever. */
  lingerMs: number
}

/** `ahead` is the answer that has to be sent before this one. */
type Exchange = { request: IncomingMessage; response: ServerResponse; ahead: ServerResponse | undefined }

export class MalformedHttp {
  readonly #options: MalformedOptions
  readonly #latest = new WeakMap<Socket, Exchange>()
  readonly #refused = new WeakSet<Socket>()

  constructor(options: MalformedOptions) {
    this.#options = options
  }

  /** Tracks from now on which request each connection is busy with. */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request
      this.#latest.set(socket, { request, response, ahead: this.#latest.get(socket)?.response })
    })
    // By default, the server would hang up without an answer.
    server.on('connect', (_, stream) => this.#refuseTunnel(stream as Socket))
  }

  /** Accepts every `clientError` of the server. */
  refuse(fault: ParserFault, socket: Socket): void {
    // Bytes after the first fault are refused with it.
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const { request, response, ahead } = this.#latest.get(socket) ?? {}
    const tell = (where: 'request' | 'body') => this.#tell(socket, this.#options.refusalOf(fault, where))
    if (!request || !response || response.closed) return tell('request')
    // The fault is after the request, which is answered first.
    if (request.complete) return whenGiven(response, () => tell('request'))
    whenGiven(ahead, () => {
      if (!response.headersSent) tell('body')
      // It was refused before its body came.
      else if (response.writableEnded) socket.end()
      else socket.destroy()
    })
  }

  #refuseTunnel(socket: Socket): void {
    // A client that has hung up needs no answer.
    socket.on('error', () => socket.destroy())
    // The server no longer watches the socket: a stalled answer would occupy it forever.
    this.#endSoon(socket)
    whenGiven(this.#latest.get(socket)?.response, () => this.#tell(socket, this.#options.connectRefusal()))
  }

  #tell(socket: Socket, { status, type, body }: RawAnswer): void {
    if (!socket.writable) return void socket.destroy()
    this.#endSoon(socket)
    socket.end(
      `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nX-Content-Type-Options: nosniff\r\nContent-Disposition: attachment\r\n` +
        `Content-Security-Policy: sandbox\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }

  #endSoon(socket: Socket): void {
    socket.setTimeout(this.#options.lingerMs, () => socket.destroy())
  }
}

/** Calls immediately if there is no answer, or if it was already sent. */
function whenGiven(answer: ServerResponse | undefined, call: () => void): void {
  if (!answer || answer.closed) call()
  else answer.once('close', call)
}
