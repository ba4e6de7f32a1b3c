// One WebSocket: reads no faster than its peer may send,
// writes the frames of one turn together, and ends when the peer is silent.
import type { Duplex } from 'node:stream'
import { Deferred, inBackground, logFault, relayFixedLimits, type Timer } from '@postern/protocol'
import { afterMicrotasks } from '@postern/protocol/node'
import type { WebSocket } from 'ws'
import type { RelayContext } from '../context.ts'
import { TokenBucket } from '../limits/token-bucket.ts'
import type { FlushQueue } from './flush-queue.ts'
import type { Outlet } from './follow.ts'
import { closeCodes } from './session.ts'

export type FrameReceiver = {
  receive(frame: Uint8Array): Promise<void> | undefined
  pump(): void
  end(): void
}

export type ConnectionWire = { webSocket: WebSocket; stream: Duplex; turn: FlushQueue }

export class Connection implements Outlet {
  readonly #webSocket: WebSocket
  readonly #stream: Duplex
  readonly #turn: FlushQueue
  readonly #parts: RelayContext
  readonly #bucket: TokenBucket
  #receiver: FrameReceiver | undefined
  /** Frames that arrived together with others while no more may be processed. */
  #held: Uint8Array[] = []
  #inFlight = 0
  #sliceLeft: number = relayFixedLimits.framesPerSlice
  #refill: Timer | undefined
  #corked = false
  #deaf = false
  #stopping: Deferred | undefined
  #heardSincePing = true
  /** Counts the bytes received before the login. */
  #countBytes: ((chunk: Uint8Array) => void) | undefined

  constructor({ webSocket, stream, turn }: ConnectionWire, parts: RelayContext) {
    this.#webSocket = webSocket
    this.#stream = stream
    this.#turn = turn
    this.#parts = parts
    this.#bucket = new TokenBucket(parts.clock, {
      perSecond: parts.limits.framesPerSecond,
      burst: parts.limits.framesBurst,
    })
  }

  start(receiver: FrameReceiver, onClosed: () => void): void {
    this.#receiver = receiver
    // First in line: ws would buffer a frame of megabytes for an unknown peer.
    this.#countBytes = this.#byteCounter()
    this.#stream.prependListener('data', this.#countBytes)
    this.#webSocket.on('message', (data, isBinary) => {
      this.#heardSincePing = true
      if (this.#deaf) return
      if (!isBinary || !(data instanceof Uint8Array)) return this.close(closeCodes.notBinary, 'frames are binary')
      this.#held.push(data)
      if (this.#held.length === 1) this.#guard(() => this.#receiveHeld())
    })
    this.#webSocket.on('pong', () => {
      this.#heardSincePing = true
    })
    // ws answers a ping immediately; it counts like a frame.
    this.#webSocket.on('ping', () => {
      if (!this.#deaf && !this.#mayReceive()) this.#webSocket.pause()
    })
    this.#stream.on('drain', () => {
      this.#heardSincePing = true
      this.#guard(() => {
        this.#receiveHeld()
        receiver.pump()
      })
    })
    // Broken frames and resets also end in 'close'.
    this.#webSocket.on('error', error => this.#parts.log.debug({ err: error }, 'connection broken'))
    this.#webSocket.on('close', () => {
      this.#held = []
      this.#refill?.cancel()
      this.#stopping?.resolve()
      receiver.end()
      onClosed()
    })
  }

  send(...pieces: Uint8Array[]): void {
    if (!this.#corked) {
      this.#corked = true
      this.#stream.cork()
      this.#turn.add(this)
    }
    for (const [at, piece] of pieces.entries()) this.#webSocket.send(piece, { fin: at === pieces.length - 1 })
  }

  /** Sends the frames of this turn in one write. */
  uncork(): void {
    if (!this.#corked) return
    this.#corked = false
    this.#stream.uncork()
  }

  hasRoom(): boolean {
    return this.#webSocket.bufferedAmount < this.#parts.limits.sendBufferBytesMax
  }

  close(code: number, reason: string): void {
    this.#receiveNoMore()
    this.#webSocket.close(code, reason)
  }

  cutOff(code: number, reason: string): void {
    this.close(code, reason)
    // Frames of this turn are still corked.
    this.uncork()
    this.terminate()
  }

  /** After the login: the peer may send as much as the protocol allows. */
  trust(): void {
    if (this.#countBytes) this.#stream.off('data', this.#countBytes)
    this.#countBytes = undefined
  }

  #byteCounter(): (chunk: Uint8Array) => void {
    let bytes = 0
    return chunk => {
      bytes += chunk.length
      if (bytes > this.#parts.limits.unauthenticatedBytesMax)
        this.cutOff(closeCodes.tooLarge, 'too-large: it has to log in first')
    }
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  /** Ends the connection if the peer was silent since the last call. */
  heartbeat(): void {
    if (!this.#heardSincePing) return this.terminate()
    this.#heardSincePing = false
    this.#webSocket.ping()
    this.#receiver?.pump()
  }

  /** Accepts no more frames, waits for pending answers, then closes the connection. */
  async stop(): Promise<void> {
    this.#stopping ??= new Deferred()
    this.#receiveNoMore()
    if (this.#inFlight === 0) this.#stopping.resolve()
    await this.#stopping.promise
    this.close(closeCodes.goingAway, 'relay-stopping')
  }

  /** The peer's close frame must still be read: from here on other frames are dropped instead of held. */
  #receiveNoMore(): void {
    this.#deaf = true
    this.#held = []
    if (this.#webSocket.isPaused) this.#webSocket.resume()
  }

  /** A fault thrown in a socket event would end the process; here it ends one connection. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      logFault(error, { what: 'frame not processed', log: this.#parts.log })
      this.close(closeCodes.internal, 'internal')
    }
  }

  /** Slows the peer down instead of refusing: frames that it may not send yet stay in its own buffers. */
  #receiveHeld(): void {
    let taken = 0
    while (taken < this.#held.length && !this.#deaf && this.#mayReceive())
      this.#receive(this.#held[taken++] as Uint8Array)
    this.#held = taken === this.#held.length ? [] : this.#held.slice(taken)
    if (this.#held.length === 0) {
      if (this.#webSocket.isPaused && !this.#refill) this.#webSocket.resume()
    } else if (this.#sliceLeft > 0) this.#webSocket.pause()
  }

  #goOn(): void {
    if (this.#held.length > 0 || this.#webSocket.isPaused) this.#receiveHeld()
  }

  /** The next slice begins after the microtasks of the same turn, when all immediate answers are given. */
  #beginSliceLater(): void {
    const begin = () => {
      this.#sliceLeft = relayFixedLimits.framesPerSlice
      this.#goOn()
    }
    afterMicrotasks(begin, { what: 'frames not processed', log: this.#parts.log })
  }

  #mayReceive(): boolean {
    if (this.#sliceLeft === 0) return false
    if (this.#refill || this.#inFlight >= this.#parts.limits.requestsInFlightMax || !this.hasRoom()) return false
    if (this.#bucket.spend()) {
      if (this.#sliceLeft-- === relayFixedLimits.framesPerSlice) this.#beginSliceLater()
      return true
    }
    this.#refill = this.#parts.clock.setTimer(this.#bucket.waitMs(), () => {
      this.#refill = undefined
      this.#receiveHeld()
    })
    return false
  }

  #receive(frame: Uint8Array): void {
    const answered = this.#receiver?.receive(frame)
    if (!answered) return
    this.#inFlight += 1
    const over = answered.finally(() => {
      this.#inFlight -= 1
      if (this.#stopping && this.#inFlight === 0) this.#stopping.resolve()
      this.#goOn()
    })
    inBackground(over, { what: 'frame not answered', log: this.#parts.log })
  }
}
