// A WebSocket of Node.
import type { Socket } from 'node:net'
import { silentLog, wireLimits } from '@postern/protocol'
import { endOfTick } from '@postern/protocol/node'
import WebSocket from 'ws'
import { goodbyeOf, type SocketFactory } from './socket.ts'

export const connectNodeSocket: SocketFactory = (url, events) => {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: wireLimits.frameBytesMax })
  const joined = new JoinedWrites()
  let isClosed = false
  const closed = (reason: string, code?: number) => {
    if (isClosed) return
    isClosed = true
    events.closed(reason, code)
  }
  socket.on('upgrade', response => joined.use(response.socket))
  socket.on('message', data => {
    const bytes = data as Buffer
    if (!isClosed) events.message(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  })
  socket.on('error', error => closed(error.message))
  socket.on('close', (code, words) => closed(goodbyeOf(code, words.toString()), code))
  return {
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return
      joined.begin()
      socket.send(frame)
    },
    close() {
      // Flushes earlier frames: the last acknowledgement is sent in the turn in which a client stops.
      joined.end()
      isClosed = true
      socket.terminate()
    },
  }
}

/** Joins everything sent in a turn into one write: an acknowledgement and the message after it wake the relay once. */
class JoinedWrites {
  #stream: Socket | undefined
  #isHeld = false

  use(stream: Socket): void {
    this.#stream = stream
  }

  begin(): void {
    if (this.#isHeld || !this.#stream) return
    this.#isHeld = true
    this.#stream.cork()
    endOfTick(this.end, { what: 'frames not sent', log: silentLog })
  }

  readonly end = (): void => {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#stream?.uncork()
  }
}
