// All connections of a relay: accepts, counts, pings and closes them.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type AccountId, Deferred, relayFixedLimits, type Timer, wireLimits } from '@postern/protocol'
import { nextTurn, wakeNextTurn } from '@postern/protocol/node'
import { type WebSocket, WebSocketServer } from 'ws'
import type { RelayContext } from '../context.ts'
import { type DeviceClaim, type Fence, replaces } from '../store/fence.ts'
import { MultiMap } from '../store/multi-map.ts'
import { Connection } from './connection.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { FlushQueue } from './flush-queue.ts'
import { closeCodes, type Peer, Session } from './session.ts'

const RELAY_PATH = '/relay/v1'

export class SocketServer {
  readonly #parts: RelayContext
  readonly #visitors: ConnectionRegistry
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: wireLimits.frameBytesMax,
    perMessageDeflate: false,
    clientTracking: false,
  })
  /** With the peer, once it has logged in. */
  readonly #connections = new Map<Connection, Peer | undefined>()
  readonly #byAccount = new MultiMap<AccountId, Connection>()
  readonly #byDevice = new Map<string, Connection>()
  readonly #turn: FlushQueue
  #heartbeat: Timer | undefined
  #stopped: Deferred | undefined

  constructor(parts: RelayContext, visitors: ConnectionRegistry) {
    this.#parts = parts
    this.#visitors = visitors
    this.#turn = new FlushQueue(parts.log)
    this.#beatLater()
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    // Until ws takes over the stream, a reset would end the process.
    const ignore = (): void => {}
    stream.on('error', ignore)
    const path = request.url?.split('?', 1)[0]
    if (path !== RELAY_PATH) return refuse(stream, '404 Not Found')
    this.#afterNextEvents(() => {
      // After a login storm thousands have hung up, and those that still wait are behind them.
      if (stream.readableEnded || stream.destroyed) return void stream.destroy()
      const address = this.#visitors.upgrade(request)
      if (this.#stopped || address === undefined || this.#visitors.memberCount >= this.#parts.limits.connectionsMax)
        return refuse(stream, '503 Service Unavailable')
      this.#webSockets.handleUpgrade(request, stream, head, webSocket => {
        stream.off('error', ignore)
        this.#accept(webSocket, stream, address)
      })
    })
  }

  /** The system reports the end of a stream in the round of events after the one with its last bytes. */
  #afterNextEvents(run: () => void): void {
    const background = { what: 'connection not accepted', log: this.#parts.log }
    nextTurn(() => nextTurn(run, background), background)
  }

  /** Settles when every connection is closed. */
  async stop(): Promise<void> {
    this.#heartbeat?.cancel()
    this.#stopped ??= new Deferred()
    if (this.#connections.size === 0) this.#stopped.resolve()
    await Promise.all([...this.#connections.keys()].map(connection => connection.stop()))
    await this.#stopped.promise
  }

  countOf(account: AccountId): number {
    return this.#byAccount.count(account)
  }

  isConnected(device: string): boolean {
    return this.#byDevice.has(device)
  }

  /** Devices that are logged in or logging in. */
  devices(): string[] {
    return [...this.#byDevice.keys(), ...this.#parts.arrivals.devices()]
  }

  /**
   * Cuts connections off:
   * after a graceful close, a peer that does not answer would receive its mailbox for another half minute.
   */
  shutOut(account: AccountId): void {
    for (const connection of [...this.#byAccount.get(account)])
      connection.cutOff(closeCodes.refused, "account-banned: the relay's operator has banned this account")
  }

  /**
   * The device connected to another relay.
   * Frames of its older connection here are refused, so it is closed immediately.
   */
  deviceClaimed(claimed: Fence): void {
    this.#parts.arrivals.deviceClaimed(claimed)
    const older = this.#byDevice.get(claimed.device)
    const held = older && this.#connections.get(older)?.fence
    if (!older || !held || !replaces(claimed, held)) return
    this.#parts.figures.replaced.add()
    older.close(closeCodes.replaced, 'replaced by a newer connection of the same device')
  }

  /** A device with a revoked certificate could not log in again, so its connection is closed too. */
  serialRaised(account: AccountId, serial: number): void {
    this.#parts.arrivals.serialRaised(account, serial)
    for (const connection of this.#byAccount.get(account))
      if ((this.#connections.get(connection)?.serial ?? 0) < serial)
        connection.close(closeCodes.replaced, 'revoked by a newer certificate')
  }

  terminateAll(): void {
    for (const connection of this.#connections.keys()) connection.terminate()
  }

  #accept(webSocket: WebSocket, stream: Duplex, address: string): void {
    const connection = new Connection({ webSocket, stream, turn: this.#turn }, this.#parts)
    this.#connections.set(connection, undefined)
    const onAuthenticated = (peer: Peer): void => {
      connection.trust()
      this.#visitors.loggedIn(stream)
      this.#replaceOlder(connection, peer)
      this.#countIn(connection, peer)
    }
    const onLogin = (login: 'begun' | 'failed'): void => this.#visitors.arriving(stream, login)
    const onShown = ({ account, serial }: DeviceClaim): void => this.serialRaised(account, serial)
    const onLeaving = (): void => {
      const peer = this.#connections.get(connection)
      if (peer) this.#countOut(connection, peer)
    }
    const session = new Session(this.#parts, connection, { address, onLogin, onShown, onAuthenticated, onLeaving })
    connection.start(session, () => this.#closed(connection))
  }

  #closed(connection: Connection): void {
    const peer = this.#connections.get(connection)
    this.#connections.delete(connection)
    if (peer) this.#countOut(connection, peer)
    if (this.#stopped && this.#connections.size === 0) this.#stopped.resolve()
  }

  /**
   * A device that reconnects has abandoned its earlier requests and asks for their outcome. Frames of the older
   * connection that are not read yet must not take effect after that answer.
   */
  #replaceOlder(connection: Connection, { device, fence }: Peer): void {
    const older = this.#byDevice.get(device)
    if (older) this.#parts.figures.replaced.add()
    older?.close(closeCodes.replaced, 'replaced by a newer connection of the same device')
    this.#byDevice.set(device, connection)
    // An older login may have been admitted before this one and learn of it only now.
    if (fence) this.#parts.arrivals.deviceClaimed(fence)
  }

  #countIn(connection: Connection, peer: Peer): void {
    const { account } = peer
    this.#connections.set(connection, peer)
    this.#byAccount.add(account, connection)
    // The oldest is closed, not the newest: it may be a dead connection that the client has abandoned.
    const [oldest] = this.#byAccount.get(account)
    if (this.#byAccount.count(account) > this.#parts.limits.connectionsPerAccountMax && oldest) {
      oldest.close(closeCodes.refused, 'rate-limited: too many connections of this account')
      this.#byAccount.delete(account, oldest)
    }
  }

  #countOut(connection: Connection, { account, device, fence }: Peer): void {
    this.#byAccount.delete(account, connection)
    if (this.#byDevice.get(device) !== connection) return
    this.#byDevice.delete(device)
    this.#parts.push?.pusher.leftHere(device, fence)
  }

  #beatLater(): void {
    if (this.#stopped) return
    this.#heartbeat = this.#parts.clock.setTimer(this.#parts.limits.heartbeatMs, () => {
      // After a turn: when the clock has jumped, pongs that have arrived must be processed before the next beat.
      wakeNextTurn(() => this.#beatLater())
      this.#beat([...this.#connections.keys()])
    })
  }

  /** A limited number per turn: pinging ten thousand in one step would block everyone else. */
  #beat(connections: readonly Connection[]): void {
    for (const connection of connections.slice(0, relayFixedLimits.heartbeatsPerTurn))
      if (this.#connections.has(connection)) connection.heartbeat()
    const later = connections.slice(relayFixedLimits.heartbeatsPerTurn)
    if (later.length > 0) nextTurn(() => this.#beat(later), { what: 'connections not pinged', log: this.#parts.log })
  }
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
