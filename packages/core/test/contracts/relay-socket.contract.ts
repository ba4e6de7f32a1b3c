// The contract of every RelaySocket: frames unchanged and in order, and one event at the end.
import { wireLimits } from '@postern/protocol'
import { describe, expect, it } from 'vitest'
import type { RelaySocket, SocketFactory } from '../../src/relay-link/socket.ts'

export type SocketPlace = {
  connect: SocketFactory
  /** Greets with one byte, echoes every frame, and closes with code 4001 when a frame begins with 255. */
  echoUrl: string
  /** Sends one frame that is larger than any. */
  hugeUrl: string
  /** An address where nothing listens. */
  lostUrl: string
}

type Heard = { frame: Uint8Array } | { closed: string; code: number | undefined }

/** The events of a socket, one after the other. */
class Listener {
  readonly #heard: Heard[] = []
  #wake: () => void = () => undefined

  readonly events = {
    message: (frame: Uint8Array) => this.#hear({ frame }),
    closed: (closed: string, code?: number) => this.#hear({ closed, code }),
  }

  get waiting(): number {
    return this.#heard.length
  }

  async next(): Promise<Heard> {
    for (;;) {
      const heard = this.#heard.shift()
      if (heard) return heard
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  async frame(): Promise<Uint8Array> {
    const heard = await this.next()
    if (!('frame' in heard)) throw new Error(`closed: ${heard.closed}`)
    return heard.frame
  }

  #hear(heard: Heard): void {
    this.#heard.push(heard)
    this.#wake()
  }
}

async function greeted(connect: SocketFactory, url: string): Promise<{ socket: RelaySocket; listener: Listener }> {
  const listener = new Listener()
  const socket = connect(url, listener.events)
  expect(await listener.frame()).toEqual(Uint8Array.of(0))
  return { socket, listener }
}

export function describeRelaySocket(title: string, place: () => SocketPlace): void {
  describe(`relay socket ${title}`, () => {
    it('[CORE-24.1] carries frames as they are and in their order', async () => {
      const { connect, echoUrl } = place()
      const { socket, listener } = await greeted(connect, echoUrl)
      const buffer = Uint8Array.of(9, 1, 2, 9)
      socket.send(buffer.subarray(1, 3))
      // A frame belongs to the socket only once it was sent.
      socket.send(new Uint8Array(200_000).fill(3))
      socket.send(Uint8Array.of())
      expect(await listener.frame()).toEqual(Uint8Array.of(1, 2))
      const large = await listener.frame()
      expect(large.length).toBe(200_000)
      expect(large.every(byte => byte === 3)).toBe(true)
      expect(await listener.frame()).toHaveLength(0)
      socket.close()
    })

    it('[CORE-24.1] says once that the other side has left, and with which code', async () => {
      const { connect, echoUrl } = place()
      const { socket, listener } = await greeted(connect, echoUrl)
      socket.send(Uint8Array.of(255))
      expect(await listener.next()).toMatchObject({ code: 4001 })
      socket.send(Uint8Array.of(1))
      socket.close()
      const { socket: other } = await greeted(connect, echoUrl)
      other.close()
      expect(listener.waiting).toBe(0)
    })

    it('[CORE-24.1] says nothing more after it was closed here', async () => {
      const { connect, echoUrl } = place()
      const { socket, listener } = await greeted(connect, echoUrl)
      socket.send(Uint8Array.of(1))
      socket.close()
      socket.close()
      socket.send(Uint8Array.of(2))
      const { socket: other } = await greeted(connect, echoUrl)
      other.close()
      expect(listener.waiting).toBe(0)
    })

    it('[CORE-24.1] says that nobody answers, and drops what is sent before anybody does', async () => {
      const { connect, echoUrl, lostUrl } = place()
      const listener = new Listener()
      connect(lostUrl, listener.events).send(Uint8Array.of(1))
      expect('closed' in (await listener.next())).toBe(true)
      const early = new Listener()
      const socket = connect(echoUrl, early.events)
      socket.send(Uint8Array.of(7))
      expect(await early.frame()).toEqual(Uint8Array.of(0))
      socket.send(Uint8Array.of(8))
      expect(await early.frame()).toEqual(Uint8Array.of(8))
      socket.close()
    })

    it('[CORE-24.1] a frame that is larger than any ends it', async () => {
      const { connect, hugeUrl } = place()
      expect(wireLimits.frameBytesMax).toBeGreaterThan(0)
      const listener = new Listener()
      connect(hugeUrl, listener.events)
      expect('closed' in (await listener.next())).toBe(true)
      expect(listener.waiting).toBe(0)
    })
  })
}
