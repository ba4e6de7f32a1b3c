// A WebSocket of Node.
import { wireLimits } from '@postern/protocol'
import WebSocket from 'ws'
import type { SocketFactory } from './socket.ts'

export const connectNodeSocket: SocketFactory = (url, events) => {
  const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: wireLimits.frameBytesMax })
  let isClosed = false
  const closed = (reason: string, code?: number) => {
    if (isClosed) return
    isClosed = true
    events.closed(reason, code)
  }
  socket.on('message', data => {
    const bytes = data as Buffer
    if (!isClosed) events.message(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  })
  socket.on('error', error => closed(error.message))
  socket.on('close', code => closed(`closed (${code})`, code))
  return {
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(frame)
    },
    close() {
      isClosed = true
      socket.terminate()
    },
  }
}
