// Answers requests that the HTTP parser rejects, after the answers that are still due and never inside one.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** As Node emits it; the types of the server know less, and think that its bytes are JSON. */
export type ParserFault = Error & { code?: string; reason?: string; bytesParsed?: number; rawPacket?: unknown }

/** `status` with its words, `type` of the body. */
export type RawAnswer = { status: string; type: string; body: string }

export type MalformedOptions = {
  /** `body`: the fault lies in the body of a request that has begun. */
  refusalOf(fault: ParserFault, where: 'request' | 'body'): RawAnswer
  /** A request for a tunnel. */
  connectRefusal(): RawAnswer
  /** Whoever does not hang up in turn would keep a descriptor for ever. */
  lingerMs: number
}

/** `ahead` is the answer that has to be given before this one. */
type Exchange = { request: IncomingMessage; response: ServerResponse; ahead: ServerResponse | undefined }

export class MalformedHttp {
  readonly #options: MalformedOptions
  readonly #latest = new WeakMap<Socket, Exchange>()
  readonly #refused = new WeakSet<Socket>()

  constructor(options: MalformedOptions) {
    this.#options = options
  }

  /** From here on it is known what a connection is busy with. */
  watch(server: Server): void {
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request
      this.#latest.set(socket, { request, response, ahead: this.#latest.get(socket)?.response })
    })
    // Left to itself, the server would hang up without a word.
    server.on('connect', (_, stream) => this.#refuseTunnel(stream as Socket))
  }

  /** Whatever the server emits as `clientError`. */
  refuse(fault: ParserFault, socket: Socket): void {
    // What comes behind the first fault is refused with it.
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const { request, response, ahead } = this.#latest.get(socket) ?? {}
    const tell = (where: 'request' | 'body') => this.#tell(socket, this.#options.refusalOf(fault, where))
    if (!request || !response || response.closed) return tell('request')
    // The fault lies behind the request: that one is answered first.
    if (request.complete) return whenGiven(response, () => tell('request'))
    whenGiven(ahead, () => {
      if (!response.headersSent) tell('body')
      // It was refused before its body came.
      else if (response.writableEnded) socket.end()
      else socket.destroy()
    })
  }

  #refuseTunnel(socket: Socket): void {
    // Whoever has hung up does not need to be told.
    socket.on('error', () => socket.destroy())
    // The server does not look after it any more: an answer that stands still would keep its place for ever.
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

/** Calls at once when there is none, or when it was given already. */
function whenGiven(answer: ServerResponse | undefined, call: () => void): void {
  if (!answer || answer.closed) call()
  else answer.once('close', call)
}
