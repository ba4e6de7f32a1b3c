// Limits connections by address. Peers that have not logged in cannot take the place of others.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { relayFixedLimits, type Timer } from '@postern/protocol'
import type { RelayContext } from '../context.ts'
import { addressKey, forwardedAddress } from '../limits/peer-address.ts'

/**
 * `waiting`: before a request, between two, or on a WebSocket that has not logged in. `busy`: in an HTTP request.
 * `arriving`: has proved its key and is being logged in.
 */
type ConnectionKind = 'waiting' | 'busy' | 'arriving' | 'member'
type Counts = { newcomers: number; all: number }

class RegisteredConnection {
  readonly socket: Socket
  kind: ConnectionKind = 'waiting'
  /** On the monotonic clock. */
  sinceMs = 0
  /** Behind a proxy, known only from a request. */
  address: string | undefined
  #firstRequest: Timer | undefined

  constructor(socket: Socket) {
    this.socket = socket
  }

  expect(firstRequest: Timer): void {
    this.#firstRequest = firstRequest
  }

  /**
   * The peer has sent a request or disconnected.
   * Drops the timer: for ten thousand connections it would take a megabyte.
   */
  speaks(): void {
    this.#firstRequest?.cancel()
    this.#firstRequest = undefined
  }
}

export class ConnectionRegistry {
  readonly #parts: RelayContext
  readonly #bySocket = new Map<object, RegisteredConnection>()
  readonly #byAddress = new Map<string, Counts>()
  /** The longest waiting first. */
  readonly #waiting = new Set<RegisteredConnection>()
  #busy = 0
  #members = 0

  constructor(parts: RelayContext) {
    this.#parts = parts
  }

  get memberCount(): number {
    return this.#members
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  enter(socket: Socket): void {
    const { limits, clock, proxies } = this.#parts
    const visitor = new RegisteredConnection(socket)
    const address = proxies ? undefined : addressKey(socket.remoteAddress)
    if (!this.#makeRoom(address)) return void socket.destroy()
    if (address !== undefined && !this.#place(visitor, address)) return void socket.destroy()
    this.#bySocket.set(socket, visitor)
    this.#waits(visitor)
    // A silent peer would otherwise keep its place forever.
    visitor.expect(clock.setTimer(limits.authenticateWithinMs, () => socket.destroy()))
    socket.on('close', () => this.#leave(visitor))
  }

  /** Returns false if there is no capacity for this request. The place is freed when the answer is sent. */
  request(request: IncomingMessage, whenDone: (done: () => void) => void): boolean {
    const visitor = this.#bySocket.get(request.socket)
    if (!visitor || this.#busy >= this.#parts.limits.httpConnectionsMax || !this.#knows(visitor, request)) return false
    this.#turn(visitor, 'busy')
    whenDone(() => {
      if (visitor.kind !== 'busy' || !this.#bySocket.has(visitor.socket)) return
      this.#turn(visitor, 'waiting')
      if (this.#parts.proxies) this.#unplace(visitor)
    })
    return true
  }

  /** The address that requests a WebSocket; undefined if it has too many connections. */
  upgrade(request: IncomingMessage): string | undefined {
    const visitor = this.#bySocket.get(request.socket)
    if (!visitor || !this.#knows(visitor, request)) return undefined
    // The challenge follows immediately. A peer can log in only after it, and under load the relay itself is late.
    this.#turn(visitor, 'waiting')
    return visitor.address
  }

  /** For a request that was admitted. */
  addressOf({ socket }: IncomingMessage): string {
    return this.#bySocket.get(socket)?.address ?? ''
  }

  /** A peer that has proved its key is never evicted: the work for it would be lost, and it would come again. */
  arriving(socket: object, login: 'begun' | 'failed'): void {
    const visitor = this.#bySocket.get(socket)
    const [from, to] = login === 'begun' ? (['waiting', 'arriving'] as const) : (['arriving', 'waiting'] as const)
    if (visitor?.kind === from) this.#turn(visitor, to)
  }

  loggedIn(socket: object): void {
    const visitor = this.#bySocket.get(socket)
    if (visitor) this.#turn(visitor, 'member')
  }

  #knows(visitor: RegisteredConnection, request: IncomingMessage): boolean {
    visitor.speaks()
    const { proxies } = this.#parts
    return !proxies || this.#place(visitor, forwardedAddress(request, proxies))
  }

  #place(visitor: RegisteredConnection, address: string): boolean {
    const { limits, rates, log } = this.#parts
    const counts = this.#byAddress.get(address) ?? { newcomers: 0, all: 0 }
    if (counts.newcomers >= limits.newcomersPerAddressMax || counts.all >= limits.connectionsPerAddressMax) {
      if (rates.allows('log an address that is full', 1))
        log.warn(
          { connections: counts.all, setting: '--proxy-header' },
          'too many connections from one address; behind a proxy, set --proxy-header',
        )
      return false
    }
    visitor.address = address
    this.#byAddress.set(address, { newcomers: counts.newcomers + 1, all: counts.all + 1 })
    return true
  }

  #unplace(visitor: RegisteredConnection): void {
    const { address } = visitor
    const counts = address === undefined ? undefined : this.#byAddress.get(address)
    visitor.address = undefined
    if (address === undefined || !counts) return
    if (visitor.kind !== 'member') counts.newcomers -= 1
    counts.all -= 1
    if (counts.all === 0) this.#byAddress.delete(address)
  }

  #turn(visitor: RegisteredConnection, kind: ConnectionKind): void {
    this.#stops(visitor)
    visitor.kind = kind
    if (kind === 'waiting') return this.#waits(visitor)
    if (kind === 'arriving') return
    if (kind === 'busy') {
      this.#busy += 1
      return
    }
    this.#members += 1
    const counts = this.#byAddress.get(visitor.address ?? '')
    if (counts) counts.newcomers -= 1
  }

  #waits(visitor: RegisteredConnection): void {
    visitor.sinceMs = this.#parts.clock.monotonicMs()
    this.#waiting.add(visitor)
  }

  /**
   * Evicts a waiting connection that has had time to log in, or one of an address with more of them than the
   * newcomer's. Otherwise the newcomer is turned away: when thousands arrive at the same time, none would stay long
   * enough to log in.
   */
  #makeRoom(address: string | undefined): boolean {
    const { limits, clock } = this.#parts
    const [oldest] = this.#waiting
    if (this.#waiting.size < limits.unauthenticatedMax || !oldest) return true
    const isDue = clock.monotonicMs() - oldest.sinceMs >= relayFixedLimits.newcomerPatienceMs
    const leaving = isDue ? oldest : this.#oldestOfMany(address)
    if (leaving) this.#waiting.delete(leaving)
    leaving?.socket.destroy()
    return leaving !== undefined
  }

  /** From the address with the most connections, unless the newcomer's address would then have as many. */
  #oldestOfMany(address: string | undefined): RegisteredConnection | undefined {
    const byAddress = Map.groupBy(this.#waiting, visitor => visitor.address)
    const most = [...byAddress.values()].reduce((one, other) => (other.length > one.length ? other : one))
    return most.length > (byAddress.get(address)?.length ?? 0) + 1 ? most[0] : undefined
  }

  #stops(visitor: RegisteredConnection): void {
    this.#waiting.delete(visitor)
    if (visitor.kind === 'busy') this.#busy -= 1
    if (visitor.kind === 'member') this.#members -= 1
  }

  #leave(visitor: RegisteredConnection): void {
    visitor.speaks()
    this.#bySocket.delete(visitor.socket)
    this.#stops(visitor)
    this.#unplace(visitor)
  }
}
