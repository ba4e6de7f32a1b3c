// The cheapest WebSocket that a relay accepts: thousands of clients of one process must not be slower than their relay.
import { connect } from 'node:net'

type LightEvents = { message(frame: Uint8Array): void; closed(reason: string, code?: number): void }
type LightSocket = { send(frame: Uint8Array): void; close(): void }

const HEAD_END = '\r\n\r\n'
const opcodes = { binary: 2, close: 8, ping: 9, pong: 10 } as const
/** A client has to mask its frames, and a mask of zeros changes nothing. */
const MASK = [0, 0, 0, 0]
const SHORT_MAX = 125
const TWO_BYTES = 126

export function connectLightSocket(url: string, events: LightEvents): LightSocket {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let isOver = false
  const over = (reason: string): void => {
    if (!isOver) events.closed(reason)
    isOver = true
  }
  const send = (opcode: number, payload: Uint8Array): void => void socket.write(frameOf(opcode, payload))
  const head = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n${[...head, key].join('\r\n')}${HEAD_END}`)
  let left: Buffer = Buffer.alloc(0)
  let isOpen = false
  socket.on('data', bytes => {
    left = left.length > 0 ? Buffer.concat([left, bytes]) : bytes
    if (!isOpen) {
      const end = left.indexOf(HEAD_END)
      if (end === -1) return
      if (!left.includes(' 101 ')) return void socket.destroy()
      isOpen = true
      left = left.subarray(end + HEAD_END.length)
    }
    for (let frame = takeFrame(left); frame; frame = takeFrame(left)) {
      left = frame.rest
      if (frame.opcode === opcodes.binary && !isOver) events.message(frame.payload)
      if (frame.opcode === opcodes.ping) send(opcodes.pong, frame.payload)
      if (frame.opcode === opcodes.close) return void socket.destroy()
    }
  })
  socket.on('error', error => over(error.message))
  socket.on('close', () => over('closed'))
  return {
    send: frame => send(opcodes.binary, frame),
    close: () => {
      isOver = true
      socket.destroy()
    },
  }
}

function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload
  const size = length <= SHORT_MAX ? [0x80 | length] : [0x80 | TWO_BYTES, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(0x80 | opcode, ...size, ...MASK), payload])
}

type Taken = { opcode: number; payload: Uint8Array; rest: Buffer }

/** Mailboxes are empty here: no frame of the relay is longer than two bytes can say, or comes in pieces. */
function takeFrame(bytes: Buffer): Taken | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] as number) & 0x7f
  if (short === TWO_BYTES && bytes.length < 4) return undefined
  const [start, length] = short === TWO_BYTES ? [4, bytes.readUInt16BE(2)] : [2, short]
  if (bytes.length < start + length) return undefined
  const payload = new Uint8Array(bytes.subarray(start, start + length))
  return { opcode: (bytes[0] as number) & 0x0f, payload, rest: bytes.subarray(start + length) }
}
