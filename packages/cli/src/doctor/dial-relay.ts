// Dials a relay as a client does, as far as possible without an account: its clock, and whether it accepts the dialled
// host as its own.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { connectNodeSocket, goodbyeRefusal, socketUrl } from '@postern/core/node'
import { type Clock, Deferred, doctorLimits, isCoded } from '@postern/protocol'
import {
  authenticationBytes,
  type CallRequest,
  decodeRelayFrame,
  deviceCertificateBytes,
  encodeClientFrame,
  encodeDeviceCertificate,
  type RelayFrame,
} from '@postern/protocol/relay'
import { networkFault } from './network-faults.ts'

/** `refused`: a proof for this host is not accepted there. `unclear`: it answered something else, or nothing. */
export type HostVerdict = { kind: 'accepted' } | { kind: 'refused' } | { kind: 'unclear'; why: string }

export type DialResult =
  | { kind: 'relay'; tookMs: number; aheadMs: number; host: HostVerdict }
  /** `http`: the status with which the WebSocket was refused. */
  | { kind: 'silent'; why: string; http?: number }
  | { kind: 'no-relay' }
  | { kind: 'other-version'; why: string }

export async function dialRelay(relayUrl: string, clock: Clock): Promise<DialResult> {
  const dialling = new Dialling(relayUrl, clock)
  const socket = connectNodeSocket(socketUrl(relayUrl), {
    message: frame => dialling.receive(frame, bytes => socket.send(bytes)),
    closed: reason => dialling.closed(reason),
  })
  try {
    return await dialling.over
  } finally {
    socket.close()
  }
}

const CALL_ID = 1

class Dialling {
  readonly #wait = new Deferred<DialResult>()
  readonly #host: string
  readonly #clock: Clock
  readonly #beganMs: number
  #challenged: { tookMs: number; aheadMs: number } | undefined

  constructor(relayUrl: string, clock: Clock) {
    this.#host = new URL(relayUrl).host
    this.#clock = clock
    this.#beganMs = clock.monotonicMs()
    const { answerWithinMs } = doctorLimits
    this.#wait.after(clock, answerWithinMs, () =>
      this.#end(`it did not answer within ${answerWithinMs / 1000} seconds`),
    )
  }

  get over(): Promise<DialResult> {
    return this.#wait.promise
  }

  receive(bytes: Uint8Array, send: (bytes: Uint8Array) => void): void {
    let frame: RelayFrame
    try {
      frame = decodeRelayFrame(bytes)
    } catch (error) {
      if (isCoded(error, 'version-unsupported')) this.#wait.resolve({ kind: 'other-version', why: error.message })
      else this.#wait.resolve({ kind: 'no-relay' })
      return
    }
    if (frame.kind === 'challenge' && !this.#challenged) return send(this.#prove(frame))
    this.#judge(frame)
  }

  closed(reason: string): void {
    const refusal = goodbyeRefusal(reason)
    if (refusal) return this.#wait.resolve({ kind: 'other-version', why: refusal.message })
    const [, status] = /Unexpected server response: (\d+)/.exec(reason) ?? []
    const [code] = /\b(E[A-Z_]{4,}|HPE_\w+)\b/.exec(reason) ?? []
    if (status !== undefined) this.#wait.resolve({ kind: 'silent', why: `it answers ${status}`, http: Number(status) })
    else this.#end(code === undefined ? reason : networkFault(code).why)
  }

  #end(why: string): void {
    if (this.#challenged) this.#wait.resolve({ kind: 'relay', ...this.#challenged, host: { kind: 'unclear', why } })
    else this.#wait.resolve({ kind: 'silent', why })
  }

  /** With throw-away keys: the relay answers either that it does not know them, or that the host is not its own. */
  #prove({ nonce, nowMs }: Extract<RelayFrame, { kind: 'challenge' }>): Uint8Array {
    this.#challenged = {
      tookMs: this.#clock.monotonicMs() - this.#beganMs,
      aheadMs: nowMs - this.#clock.nowMs(),
    }
    const request = proofBy({ nonce, audience: this.#host, notAfterSec: Math.floor(nowMs / 1000) + PROOF_SEC })
    return encodeClientFrame({ kind: 'call', name: 'authenticate', id: CALL_ID, request })
  }

  #judge(frame: RelayFrame): void {
    if (!this.#challenged || frame.kind !== 'failure') return this.#wait.resolve({ kind: 'no-relay' })
    this.#wait.resolve({ kind: 'relay', ...this.#challenged, host: verdictOf(frame.code) })
  }
}

/** Longer than the relay takes to read it. */
const PROOF_SEC = 600

function verdictOf(code: string): HostVerdict {
  if (code === 'account-unknown') return { kind: 'accepted' }
  return code === 'unauthenticated' ? { kind: 'refused' } : { kind: 'unclear', why: `it says ${code}` }
}

type Proof = { nonce: Uint8Array; audience: string; notAfterSec: number }

function proofBy({ nonce, audience, notAfterSec }: Proof): CallRequest<'authenticate'> {
  const [account, device] = [newKeys(), newKeys()]
  const [accountKey, deviceKey] = [account.publicKey, device.publicKey]
  const certified = { deviceKey, serial: 1, notAfterSec }
  const signature = signed(account.secretKey, deviceCertificateBytes(certified))
  return {
    accountKey,
    deviceKey,
    certificate: encodeDeviceCertificate({ ...certified, signature }),
    audience,
    signature: signed(device.secretKey, authenticationBytes({ nonce, audience, accountKey })),
    intent: 'login',
    invite: undefined,
  }
}

const signed = (key: KeyObject, bytes: Uint8Array): Uint8Array => new Uint8Array(sign(null, bytes, key))

function newKeys(): { publicKey: Uint8Array; secretKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  return { publicKey: new Uint8Array(Buffer.from(x, 'base64url')), secretKey: privateKey }
}
