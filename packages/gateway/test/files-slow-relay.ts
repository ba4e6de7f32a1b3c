// A proxy between the gateway and its relay: the test can hold back the bytes of blobs.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const FETCH = Buffer.from('GET /blobs/')

export class SlowRelay {
  readonly url: string
  /** Requests for a blob. */
  fetches = 0
  /** Connections on which a blob is held back. */
  readonly held = new Set<Socket>()
  #isHolding = false

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`
  }

  static async before(relayUrl: string, port: number): Promise<SlowRelay> {
    const server = createServer(socket => slow.#carry(socket, Number(new URL(relayUrl).port)))
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const slow = new SlowRelay(port)
    return slow
  }

  hold(): void {
    this.#isHolding = true
  }

  release(): void {
    this.#isHolding = false
    for (const relay of this.held) relay.resume()
    this.held.clear()
  }

  #carry(gateway: Socket, relayPort: number): void {
    const relay = connect(relayPort, '127.0.0.1')
    for (const socket of [gateway, relay]) socket.on('error', () => {})
    gateway.on('data', bytes => {
      if (bytes.indexOf(FETCH) >= 0) this.#fetching(relay)
      relay.write(bytes)
    })
    relay.on('data', bytes => void gateway.write(bytes))
    gateway.on('close', () => {
      this.held.delete(relay)
      relay.destroy()
    })
    relay.on('close', () => gateway.destroy())
  }

  #fetching(relay: Socket): void {
    this.fetches += 1
    if (!this.#isHolding) return
    this.held.add(relay)
    relay.pause()
  }
}
