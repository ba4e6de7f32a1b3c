// A proxy to a gateway's HTTP API in which a test sees each request, and can keep it, spoil its answer or answer it itself.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SeenRequest = { line: string; key: string | undefined; atMs: number }

/**
 * `keep`: it never reaches the gateway. `lose`: the gateway executes it, and its answer is lost. Both leave the caller
 * waiting. `cut`: a part of an answer arrives, and the connection ends. `halt`: the first part of the gateway's answer
 * arrives, and the rest once the next request is there.
 */
export type Meddling =
  | 'pass'
  | 'keep'
  | 'lose'
  | 'cut'
  | 'halt'
  | { status: number; headers?: Record<string, string>; text: string }

export class ApiProxy implements Disposable {
  readonly #gateway: string
  readonly #server = createServer((from, to) => this.#carry(from, to))
  readonly seen: SeenRequest[] = []
  meddle: (now: SeenRequest, before: SeenRequest[]) => Meddling = () => 'pass'
  #onMeddled: () => void = () => undefined
  #endHalt: () => void = () => undefined

  constructor(gateway: string) {
    this.#gateway = gateway
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Until the next request is kept, or its answer is lost. */
  async meddled(meddle: ApiProxy['meddle']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onMeddled = resolve
    this.meddle = meddle
    await promise
  }

  /** The requests that begin like this. */
  requests(method: string): SeenRequest[] {
    return this.seen.filter(({ line }) => line.startsWith(`${method} `))
  }

  #carry(from: IncomingMessage, to: ServerResponse): void {
    const key = from.headers['idempotency-key']?.toString()
    const seen = { line: `${from.method} ${from.url}`, key, atMs: performance.now() }
    const meddling = this.meddle(seen, [...this.seen])
    this.seen.push(seen)
    this.#endHalt()
    if (typeof meddling === 'object') to.writeHead(meddling.status, meddling.headers).end(meddling.text)
    else if (meddling === 'cut') to.writeHead(200, { 'content-length': '100' }).write('[', () => to.destroy())
    else if (meddling === 'keep') this.#onMeddled()
    else this.#forward(from, to, meddling)
  }

  #forward(from: IncomingMessage, to: ServerResponse, meddling: 'pass' | 'lose' | 'halt'): void {
    const onward = request(`${this.#gateway}${from.url}`, { method: from.method, headers: from.headers, agent: false })
    to.on('close', () => onward.destroy())
    from.pipe(onward.on('error', () => to.destroy()))
    onward.on('response', (answer: IncomingMessage) => {
      if (meddling === 'lose') return void answer.resume().on('end', () => this.#onMeddled())
      to.writeHead(answer.statusCode ?? 500, answer.headers)
      if (meddling === 'pass') return void answer.pipe(to)
      answer.once('data', (first: Uint8Array) => {
        answer.pause()
        to.write(first)
        this.#endHalt = () => {
          // Once: a second pipe would write the same bytes again.
          this.#endHalt = () => undefined
          answer.pipe(to)
        }
      })
    })
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections()
    if (this.#server.listening) this.#server.close()
  }
}
