// An origin for pages of a test: files from memory, and everything else from the relay behind it, as if the relay
// served the app.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { Deferred } from '@postern/protocol'

export type ServedFile = { type: string; body: Uint8Array | string }

export class PageServer {
  readonly #server: Server
  readonly #files: ReadonlyMap<string, ServedFile>
  readonly #tunnels = new Set<Duplex>()
  #relayUrl: string | undefined

  private constructor(files: ReadonlyMap<string, ServedFile>) {
    this.#files = files
    this.#server = createServer((asked, answer) => this.#answer(asked, answer))
    this.#server.on('upgrade', (asked: IncomingMessage, socket: Duplex) => this.#tunnel(asked, socket))
  }

  static async start(files: ReadonlyMap<string, ServedFile>): Promise<PageServer> {
    const pages = new PageServer(files)
    const listening = new Deferred()
    pages.#server.listen(0, '127.0.0.1', () => listening.resolve())
    await listening.promise
    return pages
  }

  /** The host that a relay has to know: clients that connect through here prove themselves for this host. */
  get host(): string {
    const address = this.#server.address()
    return `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  }

  get origin(): string {
    return `http://${this.host}`
  }

  forwardTo(relayUrl: string): void {
    this.#relayUrl = relayUrl
  }

  async stop(): Promise<void> {
    const closed = new Deferred()
    this.#server.close(() => closed.resolve())
    this.#server.closeAllConnections()
    for (const tunnel of this.#tunnels) tunnel.destroy()
    await closed.promise
  }

  #answer(asked: IncomingMessage, answer: ServerResponse): void {
    const file = this.#files.get(asked.url ?? '')
    if (file) {
      answer.writeHead(200, { 'Content-Type': file.type, 'Cache-Control': 'no-store' }).end(file.body)
      return
    }
    if (this.#relayUrl === undefined) {
      answer.writeHead(404).end()
      return
    }
    const { method, headers, url = '/' } = asked
    const forwarded = request(new URL(url, this.#relayUrl), { method, headers }, response => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    forwarded.on('error', () => answer.destroy())
    answer.on('close', () => forwarded.destroy())
    asked.pipe(forwarded)
  }

  #tunnel(asked: IncomingMessage, socket: Duplex): void {
    const { hostname, port } = new URL(this.#relayUrl ?? 'http://127.0.0.1:1')
    const relay = connect(Number(port), hostname)
    const lines: string[] = []
    for (let at = 0; at < asked.rawHeaders.length; at += 2)
      lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`)
    relay.write(`${asked.method} ${asked.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    relay.pipe(socket).pipe(relay)
    for (const [one, other] of [
      [relay, socket],
      [socket, relay],
    ] as const) {
      this.#tunnels.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#tunnels.delete(one)
        other.destroy()
      })
    }
  }
}
