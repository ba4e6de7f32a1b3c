// A load balancer for several relays: every connection goes to the next relay that accepts it, so that a client that
// reconnects changes relays.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class Balancer {
  readonly #server: Server
  readonly #ports: readonly number[]
  readonly #open = new Set<Socket>()
  #next = 0

  private constructor(ports: readonly number[]) {
    this.#ports = ports
    this.#server = createServer(socket => this.#pass(socket, this.#ports.length))
  }

  static async start(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports)
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    return balancer
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `http://${this.host}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#open) socket.destroy()
    await closed
  }

  #pass(client: Socket, left: number): void {
    this.#keep(client)
    const port = this.#ports[this.#next++ % this.#ports.length] as number
    const relay = connect({ port, host: '127.0.0.1' })
    this.#keep(relay)
    let isThere = false
    relay.once('connect', () => {
      isThere = true
      client.pipe(relay).pipe(client)
    })
    relay.once('close', () => {
      if (!isThere && left > 1) this.#pass(client, left - 1)
      else client.destroy()
    })
    client.once('close', () => relay.destroy())
  }

  #keep(socket: Socket): void {
    if (this.#open.has(socket)) return
    this.#open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#open.delete(socket))
  }
}
