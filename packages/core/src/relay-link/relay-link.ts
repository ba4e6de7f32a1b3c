// The connection to the relay: authenticates, reconnects with growing pauses, and carries calls and entries.
import { Bell, type Clock, CodedError, clientLimits, faultFields, isCoded, type Log, Wait } from '@postern/protocol'
import {
  type CallAnswer,
  type CallName,
  type CallRequest,
  type ClientFrame,
  decodeRelayFrame,
  type Entry,
  encodeClientFrame,
  REPLACED_CLOSE_CODE,
  type RelayFrame,
} from '@postern/protocol/relay'
import type { Acknowledged, Connection, LinkState } from './link-state.ts'
import { PendingCalls } from './pending-calls.ts'
import { goodbyeRefusal, isHopeless, ReconnectPauses } from './reconnecting.ts'
import { type SocketFactory, socketUrl } from './socket.ts'

export type Session = CallAnswer<'authenticate'>

export interface RelayLinkOptions {
  relayUrl: string
  connect: SocketFactory
  clock: Clock
  log: Log
  /** From 0 to 1: spreads the reconnects of many clients after a relay's restart. */
  jitter: () => number
  prove: (nonce: Uint8Array, audience: string) => Promise<CallRequest<'authenticate'>>
  /** The first thing on a new connection; entries are asked for in it. Only when it is done the link is online. */
  onSession: (session: Session) => Promise<void>
  onEntries: (entries: Entry[]) => void
  /** Entries behind an answer wait for it: what the answer brings is written first, or a reaction would find no message. */
  afterTurn: (run: () => void) => void
  /** What the relay's clock says, whenever it tells. */
  onTime: (relayMs: number) => void
  /** The relay refuses the device's certificate. `over`: coming back soon would be of no use. */
  onRevoked: (error: CodedError) => 'replaced' | 'over'
}

export class RelayLink {
  readonly #options: RelayLinkOptions
  readonly #changed = new Bell()
  #state: LinkState = { kind: 'idle' }
  readonly #pauses: ReconnectPauses
  #isAnswered = false
  #settling: Promise<void> = Promise.resolve()
  #refusal: CodedError | undefined
  #isReplaced = false

  constructor(options: RelayLinkOptions) {
    this.#options = options
    this.#pauses = new ReconnectPauses(options.jitter)
  }

  get isOnline(): boolean {
    return this.#state.kind === 'online'
  }

  /** Also while a new connection is settling. */
  get isConnected(): boolean {
    return this.#speaking() !== undefined
  }

  /** Another device has connected with this account since: two that go on would take it from each other for ever. */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /** Why the relay did not let this account in the last time, where trying again will not help. */
  get refusal(): CodedError | undefined {
    return this.#refusal
  }

  onChange(listener: () => void): () => void {
    return this.#changed.listen(listener)
  }

  start(): void {
    if (this.#state.kind === 'idle') this.#connect()
  }

  stop(): void {
    const state = this.#state
    this.#become({ kind: 'stopped' })
    if (state.kind === 'waiting') state.timer.cancel()
    if ('connection' in state) this.#discard(state.connection)
  }

  /** Drops the connection and makes a new one: what was delivered and not acknowledged comes again. */
  restart(): void {
    if ('connection' in this.#state) this.#lost(this.#state.connection, 'restart')
  }

  /**
   * Rejects with `relay-unreachable` when nothing was sent, with `send-in-doubt` when no answer came. What must not
   * overtake the settling of a new connection waits for `whenOnline` first.
   */
  async call<Name extends CallName>(
    name: Name,
    request: CallRequest<Name>,
    timeoutMs: number = clientLimits.requestTimeoutMs,
  ): Promise<CallAnswer<Name>> {
    const connection = this.#speaking()
    if (!connection) throw new CodedError(this.#state.kind === 'stopped' ? 'stopping' : 'relay-unreachable')
    return await this.#callOn(connection, { name, request, timeoutMs })
  }

  /** Each state once: of many that were written together, and go out together, the first says it for all. */
  acknowledge(reached: Acknowledged): void {
    const connection = this.#speaking()
    if (!connection) return
    const { told } = connection
    if (told.cursor >= reached.cursor && told.mark >= reached.mark) return
    connection.told = reached
    connection.socket.send(encodeClientFrame({ kind: 'acknowledge', ...reached }))
  }

  #speaking(): Connection | undefined {
    const state = this.#state
    return state.kind === 'settling' || state.kind === 'online' ? state.connection : undefined
  }

  /** Resolves once online; rejects with `relay-unreachable` when that takes longer, and with `stopping` at the end. */
  whenOnline(timeoutMs: number): Promise<void> {
    if (this.isOnline) return Promise.resolve()
    if (this.#state.kind === 'stopped') return Promise.reject(new CodedError('stopping'))
    const wait = new Wait()
    wait.after(this.#options.clock, timeoutMs, () => wait.reject(new CodedError('relay-unreachable')))
    const look = () => {
      if (this.isOnline) wait.resolve()
      else if (this.#state.kind === 'stopped') wait.reject(new CodedError('stopping'))
    }
    wait.onOver(this.#changed.listen(look))
    return wait.over
  }

  #callOn<Name extends CallName>(
    connection: Connection,
    { name, request, timeoutMs }: { name: Name; request: CallRequest<Name>; timeoutMs: number },
  ): Promise<CallAnswer<Name>> {
    const { id, answer } = connection.calls.add<CallAnswer<Name>>(name, timeoutMs)
    connection.socket.send(encodeClientFrame({ kind: 'call', name, id, request } as ClientFrame))
    return answer
  }

  #connect(): void {
    const { relayUrl, connect, clock } = this.#options
    const connection: Connection = {
      calls: new PendingCalls(clock),
      isAlive: true,
      told: { cursor: -1, mark: -1 },
      watch: clock.setTimer(clientLimits.connectTimeoutMs, () => this.#lost(connection, 'no answer')),
      socket: connect(socketUrl(relayUrl), {
        message: frame => this.#receive(connection, frame),
        closed: (reason, code) => this.#closed(connection, { reason, code }),
      }),
    }
    this.#become({ kind: 'connecting', connection })
  }

  #receive(connection: Connection, bytes: Uint8Array): void {
    if (!this.#isCurrent(connection)) return
    connection.isAlive = true
    try {
      this.#handle(connection, decodeRelayFrame(bytes))
    } catch (error) {
      const isFirstWord = this.#state.kind === 'connecting'
      if (isFirstWord && isCoded(error, 'version-unsupported')) return this.#refused(connection, error)
      this.#options.log.warn(faultFields(error), 'the relay sent what cannot be read')
      this.#lost(connection, 'malformed frame')
    }
  }

  #handle(connection: Connection, frame: RelayFrame): void {
    switch (frame.kind) {
      case 'challenge':
        this.#options.onTime(frame.nowMs)
        this.#authenticate(connection, frame.nonce).catch((error: unknown) => this.#refused(connection, error))
        return
      case 'deliver':
        return this.#isAnswered
          ? this.#options.afterTurn(() => this.#isCurrent(connection) && this.#options.onEntries(frame.entries))
          : this.#options.onEntries(frame.entries)
      case 'answer':
      case 'failure':
        this.#isAnswered = true
        this.#options.afterTurn(() => (this.#isAnswered = false))
        connection.calls.settle(frame)
    }
  }

  async #authenticate(connection: Connection, nonce: Uint8Array): Promise<void> {
    const audience = new URL(this.#options.relayUrl).host
    const request = await this.#options.prove(nonce, audience)
    const timeoutMs = clientLimits.connectTimeoutMs
    const session = await this.#callOn(connection, { name: 'authenticate', request, timeoutMs })
    this.#refusal = undefined
    // What the last connection began must not go on over this one: it would ask for entries before all is settled.
    await this.#settling
    if (!this.#isCurrent(connection)) return
    connection.watch.cancel()
    this.#watch(connection)
    this.#become({ kind: 'settling', connection })
    const settled = this.#options.onSession(session)
    this.#settling = settled.catch(() => undefined)
    await settled
    if (!this.#isCurrent(connection)) return
    this.#pauses.reset()
    this.#isReplaced = false
    this.#options.log.info({}, 'connected to the relay')
    this.#become({ kind: 'online', connection })
  }

  #refused(connection: Connection, error: unknown): void {
    if (!this.#isCurrent(connection)) return
    if (isCoded(error, 'bad-certificate') && this.#options.onRevoked(error) === 'over') {
      this.#options.log.error({ code: error.code }, error.message)
      this.#pauses.lengthen()
      this.#isReplaced = true
    }
    if (isHopeless(error)) {
      // Once: it is asked again and again, and a log that repeats one line hides all others.
      if (error.message !== this.#refusal?.message) this.#options.log.error({ code: error.code }, error.message)
      this.#refusal = error
    }
    this.#lost(connection, error instanceof Error ? error.message : String(error))
  }

  /** A relay that went away without a word is noticed within two rounds of this watch. */
  #watch(connection: Connection): void {
    connection.watch = this.#options.clock.setTimer(clientLimits.pingEveryMs, () => {
      if (!connection.isAlive) return this.#lost(connection, 'no heartbeat')
      connection.isAlive = false
      const ping = { name: 'ping' as const, request: {}, timeoutMs: clientLimits.pingEveryMs }
      this.#callOn(connection, ping)
        .then(({ nowMs }) => this.#options.onTime(nowMs))
        .catch(() => undefined)
      this.#watch(connection)
    })
  }

  #closed(connection: Connection, { reason, code }: { reason: string; code: number | undefined }): void {
    if (code === REPLACED_CLOSE_CODE) return this.#replaced(connection)
    const refusal = goodbyeRefusal(reason)
    if (refusal) this.#refused(connection, refusal)
    else this.#lost(connection, reason)
  }

  /** Two that take the connection from each other without a pause would both be of no use. */
  #replaced(connection: Connection): void {
    if (!this.#isCurrent(connection)) return
    this.#options.log.error({}, 'another program has connected with the keys of this account: only one may run')
    this.#pauses.lengthen()
    this.#isReplaced = true
    this.#lost(connection, 'replaced')
  }

  #lost(connection: Connection, reason: string): void {
    if (!this.#isCurrent(connection)) return
    const delayMs = this.#pauses.nextMs()
    this.#options.log.info({ reason, retryInMs: Math.round(delayMs) }, 'not connected to the relay')
    this.#become({ kind: 'waiting', timer: this.#options.clock.setTimer(delayMs, () => this.#connect()) })
    this.#discard(connection)
  }

  #discard(connection: Connection): void {
    connection.watch.cancel()
    connection.socket.close()
    connection.calls.failAll('send-in-doubt')
  }

  #isCurrent(connection: Connection): boolean {
    return 'connection' in this.#state && this.#state.connection === connection
  }

  #become(state: LinkState): void {
    this.#state = state
    this.#changed.ring()
  }
}
