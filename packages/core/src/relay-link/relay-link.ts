// The connection to the relay: authenticates, reconnects with growing pauses, and carries calls and entries.
import { CodedError, clientLimits, Deferred, faultFields, isCoded, Notifier } from '@postern/protocol'
import {
  type CallAnswer,
  type CallName,
  type CallRequest,
  type ClientFrame,
  type Delivery,
  decodeRelayFrame,
  encodeClientFrame,
  REPLACED_CLOSE_CODE,
  type RelayFrame,
} from '@postern/protocol/relay'
import type { RelayLinkOptions } from './link-options.ts'
import type { AcknowledgedPosition, LinkConnection, LinkState } from './link-state.ts'
import { PageLane } from './page-lane.ts'
import { PendingCalls } from './pending-calls.ts'
import { goodbyeRefusal, isHopeless, LinkPauses } from './reconnecting.ts'
import { socketUrl } from './socket.ts'

export class RelayLink {
  readonly #options: RelayLinkOptions
  readonly #changed = new Notifier()
  #state: LinkState = { kind: 'idle' }
  readonly #pauses: LinkPauses
  #settling: Promise<void> = Promise.resolve()
  #refusal: CodedError | undefined
  #lostReason: string | undefined
  #isReplaced = false

  constructor(options: RelayLinkOptions) {
    this.#options = options
    this.#pauses = new LinkPauses(options.jitter)
  }

  get isOnline(): boolean {
    return this.#state.kind === 'online'
  }

  /** Also while a new connection is settling. */
  get isConnected(): boolean {
    return this.#speaking() !== undefined
  }

  /**
   * Another device has since connected with this account: if both reconnected, they would replace each other forever.
   */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /** Why the relay last rejected this account, when retrying will not help. */
  get refusal(): CodedError | undefined {
    return this.#refusal
  }

  /** Why the last connection ended or was not made; undefined while online, and before the first attempt has ended. */
  get lostReason(): string | undefined {
    return this.#lostReason
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

  /** For a claim that costs much work, and that a relay may make at every login: it must not keep a client busy. */
  doubt(): void {
    if ('connection' in this.#state) this.#state.connection.isDoubted = true
  }

  /** Drops the connection and makes a new one: entries that were delivered and not acknowledged come again. */
  restart(): void {
    if ('connection' in this.#state) this.#lost(this.#state.connection, 'restart')
  }

  /**
   * Rejects with `relay-unreachable` when nothing was sent, with `send-in-doubt` when no answer came. A call that must
   * not overtake the settling of a new connection waits for `whenOnline` first.
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

  /** Signed over the challenge of the same connection over which it is sent. */
  async deleteAccount(sign: (nonce: Uint8Array, audience: string) => Promise<Uint8Array>): Promise<void> {
    const connection = this.#speaking()
    if (!connection?.nonce) throw new CodedError('relay-unreachable')
    const signature = await sign(connection.nonce, new URL(this.#options.relayUrl).host)
    const timeoutMs = clientLimits.requestTimeoutMs
    await this.#callOn(connection, { name: 'deleteAccount', request: { signature }, timeoutMs })
  }

  /** Sent once per state: the first of many messages that are written and sent together acknowledges for all. */
  acknowledge(reached: AcknowledgedPosition): void {
    const connection = this.#speaking()
    if (!connection) return
    const { told } = connection
    if (told.cursor >= reached.cursor && told.mark >= reached.mark) return
    connection.told = reached
    connection.socket.send(encodeClientFrame({ kind: 'acknowledge', ...reached }))
  }

  #speaking(): LinkConnection | undefined {
    const state = this.#state
    return state.kind === 'settling' || state.kind === 'online' ? state.connection : undefined
  }

  /** Resolves once online; rejects with `relay-unreachable` when that takes longer, and with `stopping` at the end. */
  whenOnline(timeoutMs: number): Promise<void> {
    if (this.isOnline) return Promise.resolve()
    if (this.#state.kind === 'stopped') return Promise.reject(new CodedError('stopping'))
    const wait = new Deferred()
    wait.after(this.#options.clock, timeoutMs, () => wait.reject(new CodedError('relay-unreachable')))
    const look = () => {
      if (this.isOnline) wait.resolve()
      else if (this.#state.kind === 'stopped') wait.reject(new CodedError('stopping'))
    }
    wait.onSettled(this.#changed.listen(look))
    return wait.promise
  }

  #callOn<Name extends CallName>(
    connection: LinkConnection,
    { name, request, timeoutMs }: { name: Name; request: CallRequest<Name>; timeoutMs: number },
  ): Promise<CallAnswer<Name>> {
    const { id, answer } = connection.calls.add<CallAnswer<Name>>(name, timeoutMs)
    connection.socket.send(encodeClientFrame({ kind: 'call', name, id, request } as ClientFrame))
    return answer
  }

  #connect(): void {
    const { relayUrl, connect, clock } = this.#options
    const connection: LinkConnection = {
      calls: new PendingCalls(clock),
      isAlive: true,
      told: { cursor: -1, mark: -1 },
      pages: new PageLane(this.#options.afterTurn, page => this.#handOn(connection, page)),
      watch: clock.setTimer(this.#pauses.patienceMs(), () => this.#lost(connection, 'no answer')),
      socket: connect(socketUrl(relayUrl), {
        message: frame => this.#receive(connection, frame),
        closed: (reason, code) => this.#closed(connection, { reason, code }),
      }),
    }
    this.#become({ kind: 'connecting', connection })
  }

  #receive(connection: LinkConnection, bytes: Uint8Array): void {
    if (!this.#isCurrent(connection)) return
    connection.isAlive = true
    try {
      this.#handle(connection, decodeRelayFrame(bytes))
    } catch (error) {
      const isFirstWord = this.#state.kind === 'connecting'
      if (isFirstWord && isCoded(error, 'version-unsupported')) return this.#refused(connection, error)
      this.#options.log.warn(faultFields(error), 'unreadable frame received from the relay')
      this.#broken(connection, 'malformed frame')
    }
  }

  #handle(connection: LinkConnection, frame: RelayFrame): void {
    switch (frame.kind) {
      case 'challenge':
        this.#options.onTime(frame.nowMs)
        connection.nonce = frame.nonce
        connection.relayMs = frame.nowMs
        this.#authenticate(connection, frame.nonce).catch((error: unknown) => this.#refused(connection, error))
        return
      case 'deliver':
        return connection.pages.push(frame)
      case 'ephemeral':
        return this.#options.onEphemeral(frame)
      case 'answer':
      case 'failure':
        connection.pages.waitForAnswered()
        connection.calls.settle(frame)
    }
  }

  #handOn(connection: LinkConnection, page: Delivery): void {
    if (!this.#isCurrent(connection)) return
    const taken = this.#options.onPage(page)
    if (taken === 'gap') this.#broken(connection, 'a gap in the mailbox')
    if (taken === 'news') this.#pauses.noteNews()
  }

  async #authenticate(connection: LinkConnection, nonce: Uint8Array): Promise<void> {
    const audience = new URL(this.#options.relayUrl).host
    const request = await this.#options.prove(nonce, audience)
    const timeoutMs = clientLimits.connectTimeoutMsMax
    const session = await this.#callOn(connection, { name: 'authenticate', request, timeoutMs })
    this.#refusal = undefined
    // The session of the last connection must not continue over this one:
    // it would request entries before all is settled.
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
    this.#lostReason = undefined
    this.#options.log.info({}, 'relay connected')
    this.#become({ kind: 'online', connection })
  }

  #refused(connection: LinkConnection, error: unknown): void {
    if (!this.#isCurrent(connection)) return
    if (isCoded(error, 'bad-certificate') && this.#options.onRevoked(error) === 'over') {
      this.#options.log.error({ code: error.code }, error.message)
      this.#pauses.lengthen()
      this.#isReplaced = true
    }
    if (isHopeless(error)) {
      // Logged once: it is retried repeatedly, and a log that repeats one line hides all others.
      if (error.message !== this.#refusal?.message) this.#options.log.error({ code: error.code }, error.message)
      this.#refusal = error
    }
    const reason = error instanceof Error ? error.message : String(error)
    this.#lost(connection, reason, this.#pauses.toldMs(error, connection.relayMs))
  }

  /** A relay that disappears silently is noticed within two rounds of this watch. */
  #watch(connection: LinkConnection): void {
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

  #closed(connection: LinkConnection, { reason, code }: { reason: string; code: number | undefined }): void {
    if (code === REPLACED_CLOSE_CODE) return this.#replaced(connection)
    const refusal = goodbyeRefusal(reason)
    if (refusal) this.#refused(connection, refusal)
    else this.#lost(connection, reason)
  }

  /** Two clients that replace each other without a pause would both be useless. */
  #replaced(connection: LinkConnection): void {
    if (!this.#isCurrent(connection)) return
    this.#options.log.error({}, 'replaced by another program with the keys of this account; only one may run')
    this.#pauses.lengthen()
    this.#isReplaced = true
    this.#lost(connection, 'replaced')
  }

  #broken(connection: LinkConnection, reason: string): void {
    connection.isDoubted = true
    this.#lost(connection, reason)
  }

  #lost(connection: LinkConnection, reason: string, toldMs?: number): void {
    if (!this.#isCurrent(connection)) return
    const delayMs = toldMs ?? this.#pauses.afterMs(connection)
    this.#lostReason = reason
    this.#options.log.info({ reason, retryInMs: Math.round(delayMs) }, 'relay not connected')
    this.#become({ kind: 'waiting', timer: this.#options.clock.setTimer(delayMs, () => this.#connect()) })
    this.#discard(connection)
  }

  #discard(connection: LinkConnection): void {
    connection.watch.cancel()
    connection.socket.close()
    connection.calls.failAll('send-in-doubt')
  }

  #isCurrent(connection: LinkConnection): boolean {
    return 'connection' in this.#state && this.#state.connection === connection
  }

  #become(state: LinkState): void {
    this.#state = state
    this.#changed.notify()
  }
}
