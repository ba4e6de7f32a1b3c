// A webhook receiver as an operator writes it, and as it should not be written.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Update } from '@postern/bot-api'

export type Received = { headers: IncomingHttpHeaders; body: string; update: Update }
type Answer = (response: ServerResponse, received: Received) => void

export const answerWith =
  (status: number): Answer =>
  response =>
    response.writeHead(status).end('{}')

export class TestReceiver implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly requests: Received[] = []
  /** How many connections were ever made. */
  connections = 0
  answer: Answer = answerWith(200)

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString()
        const received = { headers: request.headers, body, update: JSON.parse(body) as Update }
        this.requests.push(received)
        this.answer(response, received)
      })
    })
    this.#server.on('connection', socket => {
      this.connections++
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(port = 0): Promise<TestReceiver> {
    const receiver = new TestReceiver()
    receiver.#server.listen(port, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/updates?of=bot`
  }

  get ids(): number[] {
    return this.requests.map(({ update }) => update.id)
  }

  get texts(): (string | undefined)[] {
    return this.requests.map(({ update }) => (update.type === 'message' ? update.message.text : update.type))
  }

  /** As proxies do with idle connections. */
  closeConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.closeConnections()
    if (this.#server.listening) await once(this.#server, 'close')
  }
}
