// The wire between a client and its relay, controlled by a test: cut it, hold it, and change its frames.
import { connectNodeSocket, type RelaySocket, type SocketEvents, type SocketFactory } from '@postern/core/node'

/** The output for one frame: none to drop it, two to replay it, another one to tamper with it. */
export type Pass = (frame: Uint8Array) => Uint8Array[]

const asItIs: Pass = frame => [frame]

type Line = { socket: RelaySocket; events: SocketEvents }

export class Wire {
  readonly #lines = new Set<Line>()
  readonly #held: { line: Line; frame: Uint8Array }[] = []
  #isCut = false
  #isHeld = false
  /** From the relay to the client. */
  incoming: Pass = asItIs
  /** From the client to the relay. */
  outgoing: Pass = asItIs

  readonly connect: SocketFactory = (url, events) => {
    if (this.#isCut) {
      queueMicrotask(() => events.closed('the wire is cut'))
      return { send: () => {}, close: () => {} }
    }
    const line: Line = {
      events,
      socket: connectNodeSocket(url, {
        message: frame => this.#receive(line, frame),
        closed: (reason, code) => {
          this.#lines.delete(line)
          events.closed(reason, code)
        },
      }),
    }
    this.#lines.add(line)
    return {
      send: frame => {
        if (this.#lines.has(line)) for (const passed of this.outgoing(frame)) line.socket.send(passed)
      },
      close: () => {
        this.#lines.delete(line)
        line.socket.close()
      },
    }
  }

  /** Whether the client has a connection, or is making one. */
  get isConnected(): boolean {
    return this.#lines.size > 0
  }

  /** Nothing passes any more, in either direction, until it is repaired. */
  cut(): void {
    this.#isCut = true
    this.drop()
  }

  mend(): void {
    this.#isCut = false
  }

  /** The connection breaks; the next one may be made immediately. */
  drop(): void {
    for (const line of [...this.#lines]) {
      this.#lines.delete(line)
      line.socket.close()
      line.events.closed('the wire was dropped')
    }
  }

  /** Frames of the relay wait until `release` passes them in the order that the test chooses. */
  hold(): void {
    this.#isHeld = true
  }

  get held(): Uint8Array[] {
    return this.#held.map(({ frame }) => frame)
  }

  release(order: (frames: Uint8Array[]) => Uint8Array[] = frames => frames): void {
    this.#isHeld = false
    const held = this.#held.splice(0)
    const line = held.at(-1)?.line
    if (!line || !this.#lines.has(line)) return
    for (const frame of order(held.filter(one => one.line === line).map(one => one.frame))) line.events.message(frame)
  }

  /** A frame that the relay never sent. */
  inject(frame: Uint8Array): void {
    for (const line of this.#lines) line.events.message(frame)
  }

  /** A frame that the client never sent: the client ignores the answer. */
  say(frame: Uint8Array): void {
    for (const line of this.#lines) line.socket.send(frame)
  }

  #receive(line: Line, frame: Uint8Array): void {
    if (this.#isHeld) this.#held.push({ line, frame })
    else for (const passed of this.incoming(frame)) line.events.message(passed)
  }
}
