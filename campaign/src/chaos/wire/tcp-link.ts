// A TCP proxy between two parts, controlled by the campaign: it cuts, stalls, delays, half-closes, truncates and loses
// one direction.
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** `there`: from the client to the server; `back`: the answers. */
export type Direction = 'there' | 'back'

type Line = { from: Socket; to: Socket }
/**
 * `lost`: bytes are dropped silently. `held`: they wait. `short`: half of the next piece passes, then the connection is
 * cut.
 */
type Passage =
  | { kind: 'open' }
  | { kind: 'held' }
  | { kind: 'lost' }
  | { kind: 'short' }
  | { kind: 'late'; byMs: number }

const open: Passage = { kind: 'open' }

export class TcpLink {
  readonly port: number
  readonly #server: Server
  readonly #lines = new Set<Line>()
  /** All that are not closed yet, also those that pass nothing any more. */
  readonly #sockets = new Set<Socket>()
  readonly #waiting: (() => void)[] = []
  #passages: Record<Direction, Passage> = { there: open, back: open }
  #isRefusing = false

  private constructor(port: number, targetPort: number) {
    this.port = port
    this.#server = createServer({ allowHalfOpen: true }, from => this.#accept(from, targetPort))
  }

  static async start(ports: { port: number; targetPort: number }): Promise<TcpLink> {
    const link = new TcpLink(ports.port, ports.targetPort)
    link.#server.listen(ports.port, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The number of open connections. */
  get size(): number {
    return this.#lines.size
  }

  /** All connections are reset, in both directions. */
  cut(): void {
    for (const line of this.#lines) reset(line)
    this.#lines.clear()
  }

  /** New connections are reset, until `heal`. */
  refuse(): void {
    this.#isRefusing = true
    this.cut()
  }

  stall(): void {
    this.#passages = { there: { kind: 'held' }, back: { kind: 'held' } }
  }

  delay(byMs: number): void {
    this.#passages = { there: { kind: 'late', byMs }, back: { kind: 'late', byMs } }
  }

  lose(direction: Direction): void {
    this.#passages[direction] = { kind: 'lost' }
  }

  cutShort(direction: Direction): void {
    this.#passages[direction] = { kind: 'short' }
  }

  /** One side sees the end of the other's stream. */
  halfClose(direction: Direction): void {
    for (const { from, to } of this.#lines) (direction === 'there' ? to : from).end()
  }

  /** Held bytes pass; a connection that has lost bytes is reset: no stream continues after a hole. */
  heal(): void {
    const hadHole = Object.values(this.#passages).some(({ kind }) => kind === 'lost' || kind === 'short')
    this.#passages = { there: open, back: open }
    this.#isRefusing = false
    if (hadHole) this.cut()
    for (const pass of this.#waiting.splice(0)) pass()
  }

  async stop(): Promise<void> {
    this.heal()
    this.cut()
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, 'close')
  }

  #accept(from: Socket, targetPort: number): void {
    from.on('error', () => undefined)
    if (this.#isRefusing) return void from.resetAndDestroy()
    const to = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    for (const socket of [from, to]) {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    }
    const line = { from: from.setNoDelay(true), to }
    this.#lines.add(line)
    // Nobody listens there, as after a kill: the client sees a reset.
    to.on('error', () => this.#drop(line))
    from.on('error', () => this.#drop(line))
    this.#pass(line, 'there')
    this.#pass(line, 'back')
  }

  #pass(line: Line, direction: Direction): void {
    const [source, sink] = direction === 'there' ? [line.from, line.to] : [line.to, line.from]
    let passed = Promise.resolve()
    const inTurn = (step: () => void) => {
      // One piece after the other, whatever the fault: bytes never overtake each other.
      passed = passed.then(() => this.#through(direction)).then(step)
    }
    source.on('data', (piece: Buffer) => {
      source.pause()
      inTurn(() => {
        this.#deliver(line, { sink, piece, direction })
        source.resume()
      })
    })
    source.on('end', () => inTurn(() => void sink.end()))
    source.on('close', () => {
      if (source.errored) this.#drop(line)
      else if (sink.destroyed) this.#lines.delete(line)
    })
  }

  /** Resolves when the next piece may pass. */
  async #through(direction: Direction): Promise<void> {
    const passage = this.#passages[direction]
    const { promise, resolve } = Promise.withResolvers<void>()
    if (passage.kind === 'held') this.#waiting.push(resolve)
    else if (passage.kind === 'late') setTimeout(resolve, passage.byMs)
    else resolve()
    await promise
  }

  #deliver(line: Line, { sink, piece, direction }: { sink: Socket; piece: Buffer; direction: Direction }): void {
    const { kind } = this.#passages[direction]
    if (kind === 'lost' || sink.destroyed || sink.writableEnded) return
    if (kind !== 'short') return void sink.write(piece)
    sink.write(piece.subarray(0, Math.ceil(piece.length / 2)), () => this.#drop(line))
  }

  #drop(line: Line): void {
    this.#lines.delete(line)
    reset(line)
  }
}

function reset({ from, to }: Line): void {
  for (const socket of [from, to]) if (!socket.destroyed) socket.resetAndDestroy()
}
