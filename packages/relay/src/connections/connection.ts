// One WebSocket: reads no faster than its peer may send, writes all of a turn at once, and ends when the peer is silent.
import type { Duplex } from 'node:stream'
import { Deferred, inBackground, logFault, relayFixedLimits, type Timer } from '@postern/protocol'
import { afterMicrotasks } from '@postern/protocol/node'
import type { WebSocket } from 'ws'
import type { RelayContext } from '../context.ts'
import { TokenBucket } from '../limits/token-bucket.ts'
import type { FlushQueue } from './flush-queue.ts'
import type { Outlet } from './follow.ts'
import { closeCodes } from './session.ts'

/** What the frames are handed to. */
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
  /** Frames that came in one piece with others, while no more may be taken. */
  #held: Uint8Array[] = []
  #inFlight = 0
  #sliceLeft: number = relayFixedLimits.framesPerSlice
  #refill: Timer | undefined
  #corked = false
  #deaf = false
  #stopping: Deferred | undefined
  #heardSincePing = true
  /** While it is not known who speaks: counts what comes. */
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
    // Before anybody else hears of them: ws would gather a frame of megabytes for a peer that it does not know.
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
    // A ping is answered by ws at once; it counts like a frame.
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
    // Broken frames and resets end in 'close' too.
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

  /** What was sent in this turn goes out in one write. */
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
    // What was written in this turn is still held back.
    this.uncork()
    this.terminate()
  }

  /** It is known who speaks: as much may come as the protocol allows. */
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

  /** Ends a peer that was silent since the last time. */
  heartbeat(): void {
    if (!this.#heardSincePing) return this.terminate()
    this.#heardSincePing = false
    this.#webSocket.ping()
    this.#receiver?.pump()
  }

  /** Takes no more frames, waits for the answers that are due, then says goodbye. */
  async stop(): Promise<void> {
    this.#stopping ??= new Deferred()
    this.#receiveNoMore()
    if (this.#inFlight === 0) this.#stopping.resolve()
    await this.#stopping.promise
    this.close(closeCodes.goingAway, 'relay-stopping')
  }

  /** The peer's goodbye must be read: from here on frames are dropped instead of left waiting. */
  #receiveNoMore(): void {
    this.#deaf = true
    this.#held = []
    if (this.#webSocket.isPaused) this.#webSocket.resume()
  }

  /** Thrown into an event of a socket, a fault would end the process: here it ends one connection. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      logFault(error, { what: 'frame not processed', log: this.#parts.log })
      this.close(closeCodes.internal, 'internal')
    }
  }

  /** Slower instead of refused: what the peer may not send yet stays in its own buffers. */
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

  /** The next slice begins when all that can be answered at once is answered: after the microtasks, in the same turn. */
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
