// A proxy to the relay that can hold the bytes of files, for tests of that state.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

type Held = { begin: () => void }

export class HoldingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #transfers = new Set<Socket>()
  readonly #held: Held[] = []
  #isHolding = false
  #onHeld: () => void = () => undefined

  private constructor(target: URL) {
    this.#server = createServer(socket => this.#take(socket, target))
  }

  static async before(relayUrl: string, port: number): Promise<HoldingProxy> {
    const proxy = new HoldingProxy(new URL(relayUrl))
    proxy.#server.listen(port, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Starts now. Resolves when the first transfer waits. */
  async hold(): Promise<void> {
    this.#isHolding = true
    // Connections that wait for the next transfer would bypass the hold.
    for (const socket of this.#transfers) socket.destroy()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onHeld = resolve
    await promise
  }

  release(): void {
    this.#isHolding = false
    for (const { begin } of this.#held.splice(0)) begin()
  }

  #take(socket: Socket, target: URL): void {
    this.#sockets.add(socket)
    socket
      .on('error', () => undefined)
      .on('close', () => {
        this.#sockets.delete(socket)
        this.#transfers.delete(socket)
      })
    socket.once('data', first => {
      socket.pause()
      const begin = () => {
        if (socket.destroyed) return
        const relay = connect(Number(target.port), target.hostname)
        relay.on('error', () => socket.destroy())
        socket.on('close', () => relay.destroy())
        relay.write(first)
        socket.pipe(relay).pipe(socket)
      }
      const isTransfer = /^\w+ \/blobs\//.test(first.toString('latin1'))
      if (isTransfer) this.#transfers.add(socket)
      if (!isTransfer || !this.#isHolding) return begin()
      this.#held.push({ begin })
      this.#onHeld()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }
}
