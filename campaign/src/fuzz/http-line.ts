// One kept connection to a server, used in bytes: any bytes are written, and answers are read.
import { connect, type Socket } from 'node:net'

export type HttpAnswer = { status: number; headers: Map<string, string>; body: Buffer }
/** `closed`: without an answer. `late`: none within the time. */
export type Heard = { kind: 'answered'; answers: HttpAnswer[] } | { kind: 'closed' } | { kind: 'late' }

type Asking = { bytes: Uint8Array; answers: number; isHead: boolean; withinMs: number; ends?: boolean }

export class HttpLine {
  readonly #port: number
  #socket: Socket | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** On the existing connection, or on a new one. */
  async ask(asking: Asking): Promise<Heard> {
    const socket = this.#socket?.writable ? this.#socket : await this.#open()
    const heard = await exchange(socket, asking)
    const isLast = heard.kind !== 'answered' || asking.ends || heard.answers.some(closesAfter)
    if (isLast) this.close()
    return heard
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open(): Promise<Socket> {
    this.#socket?.destroy()
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    // The close that follows reports it.
    socket.on('error', () => undefined)
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('close', () => reject(new Error(`nobody listens on ${this.#port}`)))
    })
    return socket
  }
}

/** A stream has no end: its beginning is the answer, and its connection serves nothing else. */
const isStream = ({ headers }: Pick<HttpAnswer, 'headers'>): boolean =>
  headers.get('content-type') === 'text/event-stream'

const closesAfter = (answer: HttpAnswer): boolean => answer.headers.get('connection') === 'close' || isStream(answer)

async function exchange(socket: Socket, { bytes, answers, isHead, withinMs, ends }: Asking): Promise<Heard> {
  return await new Promise(resolve => {
    let received = Buffer.alloc(0)
    const finish = (heard: Heard) => {
      clearTimeout(timer)
      socket.off('data', take).off('close', closed)
      resolve(heard)
    }
    const timer = setTimeout(() => finish({ kind: 'late' }), withinMs)
    const closed = () => {
      const read = answersIn(received, { isHead, isEnd: true })
      finish(read.length > 0 ? { kind: 'answered', answers: read } : { kind: 'closed' })
    }
    const take = (data: Buffer) => {
      received = Buffer.concat([received, data])
      const read = answersIn(received, { isHead, isEnd: false })
      if (read.length >= answers || read.some(closesAfter)) finish({ kind: 'answered', answers: read })
    }
    socket.on('data', take).once('close', closed)
    socket.write(bytes)
    if (ends) socket.end()
  })
}

/** The complete answers at the beginning of the bytes; interim answers (100) are left out. */
function answersIn(bytes: Buffer, how: { isHead: boolean; isEnd: boolean }): HttpAnswer[] {
  const found: HttpAnswer[] = []
  for (let from = 0; from < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', from)
    if (headEnd < 0) break
    const head = headOf(bytes.toString('latin1', from, headEnd))
    const read = bodyOf(bytes.subarray(headEnd + 4), { ...head, ...how })
    if (!read) break
    from = headEnd + 4 + read.length
    if (head.status >= 200) found.push({ ...head, body: read.body })
  }
  return found
}

function headOf(text: string): Omit<HttpAnswer, 'body'> {
  const [first = '', ...lines] = text.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  // Bytes that are not an answer get the status 0, which is never allowed.
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${first} `)?.[1] ?? 0), headers: new Map(headers) }
}

type Read = { body: Buffer; length: number }

function bodyOf(bytes: Buffer, head: Omit<HttpAnswer, 'body'> & { isHead: boolean; isEnd: boolean }): Read | undefined {
  if (head.isHead || head.status < 200 || head.status === 204 || head.status === 304)
    return { body: Buffer.alloc(0), length: 0 }
  if (isStream(head)) return { body: bytes, length: bytes.length }
  if (head.headers.get('transfer-encoding') === 'chunked') return chunkedBody(bytes)
  const announced = head.headers.get('content-length')
  if (announced === undefined) return head.isEnd ? { body: bytes, length: bytes.length } : undefined
  const length = Number(announced)
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length }
}

function chunkedBody(bytes: Buffer): Read | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return undefined
    parts.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
    if (size === 0) return { body: Buffer.concat(parts), length: at }
  }
}
