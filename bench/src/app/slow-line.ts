// A slow line to a server: every connection of a browser shares its bandwidth, and every byte arrives later.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type LineSpeed = { kbitPerSec: number; roundTripMs: number }

const CHUNK_BYTES = 1460

/** As a proxy in this process, so that pages and workers are slowed down alike, and connecting takes its time, too. */
export class SlowLine {
  readonly #server = createServer(socket => this.#join(socket))
  readonly #to: URL
  readonly #speed: LineSpeed
  readonly #sockets = new Set<Socket>()
  /** When the line is free for the next byte from the server. */
  #freeAtMs = 0

  constructor(to: string, speed: LineSpeed) {
    this.#to = new URL(to)
    this.#speed = speed
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #join(browser: Socket): void {
    const server = connect(Number(this.#to.port), this.#to.hostname)
    const { roundTripMs } = this.#speed
    for (const socket of [browser, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true).on('error', () => undefined)
      socket.on('close', () => this.#sockets.delete(socket))
    }
    const toServer = inOrder()
    const toBrowser = inOrder()
    browser.on('close', () => server.destroy())
    // Not before everything that it sent has arrived.
    server.on('close', () => toBrowser(() => browser.destroy(), this.#arrivesInMs()))
    // The handshake of the connection is a round trip before the first byte; a byte and its answer are another.
    let openAtMs = performance.now() + roundTripMs
    browser.on('data', bytes => {
      const atMs = Math.max(openAtMs, performance.now()) + roundTripMs / 2
      openAtMs = 0
      toServer(() => server.write(bytes), atMs - performance.now())
    })
    server.on('data', bytes => this.#carry(bytes, piece => toBrowser(() => browser.write(piece), this.#arrivesInMs())))
  }

  /** In pieces, so that connections take turns. */
  #carry(bytes: Buffer, write: (piece: Buffer) => void): void {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const piece = bytes.subarray(at, at + CHUNK_BYTES)
      this.#freeAtMs = Math.max(this.#freeAtMs, performance.now()) + (piece.length * 8) / this.#speed.kbitPerSec
      write(piece)
    }
  }

  #arrivesInMs(): number {
    return Math.max(0, this.#freeAtMs + this.#speed.roundTripMs / 2 - performance.now())
  }
}

/** A timer that was set first can fire last: on a busy machine, pieces would be exchanged. */
function inOrder(): (work: () => void, inMs: number) => void {
  const waiting: (() => void)[] = []
  return (work, inMs) => {
    waiting.push(work)
    setTimeout(() => waiting.shift()?.(), inMs)
  }
}
