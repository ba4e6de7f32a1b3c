// One connection at the protocol level:
// challenged, then an account whose calls are answered and whose mailbox is followed.
import { randomBytes } from 'node:crypto'
import { type AccountId, CodedError, logFault, systemFault, type Timer } from '@postern/protocol'
import {
  type CallAnswer,
  type CallName,
  type CallRequest,
  type ClientFrame,
  decodeClientFrame,
  encodeRelayFrame,
  PROTOCOL_VERSION_BEFORE,
  REPLACED_CLOSE_CODE,
  type RelayFrame,
  type SpokenVersion,
  versionOf,
} from '@postern/protocol/relay'
import { deleteAccount } from '../accounts/delete-account.ts'
import type { PendingLogin } from '../accounts/pending-logins.ts'
import type { RelayContext } from '../context.ts'
import type { DeviceClaim, Fence } from '../store/fence.ts'
import { answerCall, isEnvelope } from './answer-call.ts'
import { authenticate, checkDeletion, checkProof, type DeletionProof } from './authenticate.ts'
import { callIdOf, failureOf } from './call-failure.ts'
import { Follower, type Outlet } from './follow.ts'
import { type OpenCalls, whileOpen } from './while-open.ts'

type State =
  | {
      kind: 'challenged'
      nonce: Uint8Array
      triesLeft: number
      deadline: Timer
      newcomer: Newcomer
      /** Aborted when the connection closes: no work is done for a peer that has disconnected. */
      closing: AbortController
    }
  | (OpenCalls & {
      kind: 'authenticated'
      account: AccountId
      device: DeviceClaim
      fence: Fence | undefined
      follower: Follower | undefined
      shown: Shown
    })
  /** The account is being deleted: nothing more is accepted, and only the answer is pending. */
  | { kind: 'leaving' }
  | { kind: 'ended' }
type Call = Extract<ClientFrame, { kind: 'call' }>
export type Peer = DeviceClaim & { fence: Fence | undefined }
/** A peer that has not logged in. `onShown`: its certificate is valid and revokes those with lower serials. */
type Newcomer = {
  address: string
  /** A login of the peer is in flight, or has failed. */
  onLogin: (kind: 'begun' | 'failed') => void
  onShown: (claim: DeviceClaim) => void
  onAuthenticated: (peer: Peer) => void
  /** From here on this is not a connection of its account, so it is not cut off with the others. */
  onLeaving: () => void
}
/** The parts of the login's proof that a deletion signs again. */
type Shown = Omit<DeletionProof, 'signature'> & { onLeaving: () => void }

export const closeCodes = {
  goingAway: 1001,
  protocolError: 1002,
  notBinary: 1003,
  refused: 1008,
  tooLarge: 1009,
  internal: 1011,
  replaced: REPLACED_CLOSE_CODE,
} as const

export class Session {
  readonly #parts: RelayContext
  readonly #outlet: Outlet
  #state: State
  /** The version in which the peer last sent a frame. */
  #version: SpokenVersion = PROTOCOL_VERSION_BEFORE
  /** The write of the last acknowledgement. */
  #kept: Promise<void> | undefined
  #endEphemeral: (() => void) | undefined

  constructor(parts: RelayContext, outlet: Outlet, newcomer: Newcomer) {
    this.#parts = parts
    this.#outlet = outlet
    const { limits, clock } = parts
    const nonce = new Uint8Array(randomBytes(32))
    const deadline = clock.setTimer(limits.authenticateWithinMs, () => this.#refuse('authenticate in time'))
    const closing = new AbortController()
    this.#state = { kind: 'challenged', nonce, triesLeft: limits.authenticateTriesMax, deadline, newcomer, closing }
    this.#send({ kind: 'challenge', nonce, nowMs: clock.nowMs() })
  }

  /** Settles when the frame is answered. Never rejects. */
  receive(bytes: Uint8Array): Promise<void> | undefined {
    const frame = this.#decode(bytes)
    if (!frame || this.#state.kind === 'ended' || this.#state.kind === 'leaving') return undefined
    if (frame.kind === 'acknowledge') return this.#acknowledge(frame)
    return this.#answer(frame)
  }

  /** The peer has read, or time has passed: there may be more to deliver. */
  pump(): void {
    if (this.#state.kind === 'authenticated') this.#state.follower?.pump()
  }

  end(): void {
    if (this.#state.kind === 'challenged') this.#state.deadline.cancel()
    if (this.#state.kind === 'authenticated') this.#state.follower?.end()
    this.#endEphemeral?.()
    if ('closing' in this.#state) this.#state.closing?.abort()
    this.#state = { kind: 'ended' }
  }

  #decode(bytes: Uint8Array): ClientFrame | undefined {
    this.#version = versionOf(bytes)
    try {
      return decodeClientFrame(bytes)
    } catch (error) {
      const id = callIdOf(bytes)
      // The failure can still name the call, unless the peer speaks another protocol.
      if (id === undefined || !(error instanceof CodedError) || error.code === 'version-unsupported')
        this.#outlet.close(closeCodes.protocolError, failureOf(error).code)
      else {
        this.#send({ kind: 'failure', id, ...failureOf(error) })
        this.#countTry()
      }
      return undefined
    }
  }

  async #answer(call: Call): Promise<void> {
    const { id, name } = call
    try {
      const answer = await this.#answerTo(call)
      if (isEnvelope(name)) this.#parts.figures.judged(name, answer as CallAnswer<'append'>)
      this.#send({ kind: 'answer', id, name, answer } as RelayFrame)
      if (name === 'follow' || name === 'followChained') this.pump()
    } catch (error) {
      this.#logFault(error, name)
      this.#parts.figures.refused(name, systemFault(error))
      this.#send({ kind: 'failure', id, ...failureOf(error) })
      this.#countTry()
    }
    if (name === 'deleteAccount') this.#endIfLeaving()
  }

  #answerTo(call: Call): Promise<CallAnswer<CallName>> {
    if (call.name === 'authenticate') return this.#authenticate(call.request)
    if (this.#state.kind !== 'authenticated')
      throw new CodedError('unauthenticated', { why: 'the first call has to be "authenticate"' })
    if (call.name === 'follow' || call.name === 'followChained')
      return this.#follow(this.#state, { ...call.request, isChained: call.name === 'followChained' })
    if (call.name === 'followEphemeral') return this.#followEphemeral(this.#state)
    if (call.name === 'deleteAccount') return this.#delete(this.#state, call.request)
    // Without a signal: messages are in the log's own queue, in their order, whether or not their sender is connected.
    if (isEnvelope(call.name)) return answerCall(this.#parts, this.#state, call)
    const { account, device, fence } = this.#state
    return whileOpen(this.#state, signal => answerCall(this.#parts, { account, device, fence, signal }, call))
  }

  async #delete(
    { account, follower, shown }: Extract<State, { kind: 'authenticated' }>,
    { signature }: CallRequest<'deleteAccount'>,
  ): Promise<CallAnswer<'deleteAccount'>> {
    checkDeletion({ ...shown, signature })
    follower?.end()
    shown.onLeaving()
    this.#state = { kind: 'leaving' }
    await deleteAccount(this.#parts, account)
    return {}
  }

  #endIfLeaving(): void {
    if (this.#state.kind === 'leaving') this.#outlet.close(closeCodes.goingAway, 'the account was deleted')
  }

  async #authenticate(proof: CallRequest<'authenticate'>): Promise<CallAnswer<'authenticate'>> {
    const state = this.#state
    if (state.kind !== 'challenged') throw new CodedError('unauthenticated', { why: 'it is so already' })
    const { loginGate } = this.#parts
    // Before the proof is checked: a refusal must cost an overloaded relay almost nothing.
    loginGate.enter()
    try {
      return await this.#login(state, proof)
    } finally {
      loginGate.leave()
    }
  }

  async #login(
    state: Extract<State, { kind: 'challenged' }>,
    proof: CallRequest<'authenticate'>,
  ): Promise<CallAnswer<'authenticate'>> {
    const { arrivals } = this.#parts
    const { address, onLogin, onShown } = state.newcomer
    const arrival = arrivals.begin(checkProof(this.#parts, proof, state.nonce))
    onLogin('begun')
    try {
      const { signal } = state.closing
      const answer = await authenticate(this.#parts, arrival.claim, { ...proof, address, signal })
      // Even if the connection has closed in the meantime: the revocation counts.
      onShown(arrival.claim)
      const { accountKey, audience } = proof
      const shown = { accountKey, audience, nonce: state.nonce, onLeaving: state.newcomer.onLeaving }
      await this.#letIn(state, { arrival, shown })
      return answer
    } catch (error) {
      onLogin('failed')
      throw error
    } finally {
      arrivals.end(arrival)
    }
  }

  async #letIn(
    state: Extract<State, { kind: 'challenged' }>,
    { arrival, shown }: { arrival: PendingLogin; shown: Shown },
  ): Promise<void> {
    const { store, bans, figures } = this.#parts
    const { claim } = arrival
    if (this.#state !== state) throw new CodedError('unauthenticated', { why: 'it is too late' })
    // Before the device may ask for the outcome of its messages:
    // from here on no older connection of it can send anything.
    const fence = await store.claimDevice(claim, state.closing.signal)
    if (this.#state !== state) throw new CodedError('unauthenticated', { why: 'it is too late' })
    bans.assertAllowed(claim.account)
    arrival.assertCounts(fence)
    state.deadline.cancel()
    const shownBy = { account: claim.account, device: claim, fence, shown }
    this.#state = { kind: 'authenticated', ...shownBy, follower: undefined, closing: undefined, inFlight: 0 }
    figures.logins.add('accepted')
    state.newcomer.onAuthenticated({ ...claim, fence })
  }

  async #follow(
    state: Extract<State, { kind: 'authenticated' }>,
    { after, isChained }: CallRequest<'follow'> & { isChained: boolean },
  ): Promise<CallAnswer<'follow'>> {
    const { account } = state
    const { store } = this.#parts
    const head = await whileOpen(state, signal => store.mailboxHead(account, { counted: 'placed', signal }))
    if (this.#state !== state) throw new CodedError('unauthenticated', { why: 'the connection is closed' })
    state.follower?.end()
    state.follower = new Follower(this.#parts, this.#outlet, { account, after, isChained })
    return { head }
  }

  /** A peer that reads too slowly misses some: they are of no use later. */
  async #followEphemeral({ account }: { account: AccountId }): Promise<CallAnswer<'followEphemeral'>> {
    const receive = (frame: Uint8Array): void => {
      if (this.#outlet.hasRoom()) this.#outlet.send(frame)
    }
    this.#endEphemeral ??= this.#parts.ephemeral.follow(account, receive)
    return {}
  }

  /** Does not wait for durability: an acknowledgement lost in a crash is sent again. */
  #acknowledge({ cursor, mark }: { cursor: number; mark: number }): undefined {
    if (this.#state.kind !== 'authenticated') {
      this.#outlet.close(closeCodes.refused, 'unauthenticated')
      return undefined
    }
    const { account, follower } = this.#state
    const kept = this.#parts.store.acknowledge(account, { cursor, mark })
    if (kept !== this.#kept) kept.catch((error: unknown) => this.#logFault(error, 'acknowledge'))
    this.#kept = kept
    follower?.acknowledged(cursor)
    return undefined
  }

  /** Logs only the relay's own faults and missing space, and limits the lines while the disk is full. */
  #logFault(error: unknown, call: CallName | 'acknowledge'): void {
    const { rates, limits, log } = this.#parts
    if (error instanceof CodedError && error.cause === undefined && error.code !== 'storage-full') return
    if (rates.allows('log a call that failed', limits.faultsLoggedPerMinute))
      logFault(error, { what: `call failed: ${call}`, log })
  }

  /** Before the login every failed call counts as a try: otherwise a peer without a login would get answers forever. */
  #countTry(): void {
    if (this.#state.kind !== 'challenged') return
    this.#state.triesLeft -= 1
    if (this.#state.triesLeft <= 0) this.#refuse('authenticate')
  }

  #refuse(what: string): void {
    this.#outlet.cutOff(closeCodes.refused, `unauthenticated: it did not ${what}`)
  }

  #send(frame: RelayFrame): void {
    if (this.#state.kind !== 'ended') this.#outlet.send(encodeRelayFrame(frame, this.#version))
  }
}
