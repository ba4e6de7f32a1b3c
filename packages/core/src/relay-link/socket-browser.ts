// A WebSocket of the browser.
import { wireLimits } from '@postern/protocol'
import { goodbyeOf, type SocketFactory } from './socket.ts'

export const connectBrowserSocket: SocketFactory = (url, events) => {
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  let isClosed = false
  const closed = (reason: string, code?: number) => {
    if (isClosed) return
    isClosed = true
    events.closed(reason, code)
  }
  socket.addEventListener('message', ({ data }) => {
    if (isClosed) return
    if (data instanceof ArrayBuffer && data.byteLength <= wireLimits.frameBytesMax)
      return events.message(new Uint8Array(data))
    // As Node's socket does: a message larger than any frame would fill the memory.
    socket.close()
    closed('a message that is no frame')
  })
  socket.addEventListener('close', ({ code, reason: words }) => closed(goodbyeOf(code, words), code))
  return {
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(frame.slice())
    },
    close() {
      isClosed = true
      socket.close()
    },
  }
}
