// Tells a push service who pushes: a token signed by the relay's key, RFC 8292.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { type Clock, pushLimits } from '@postern/protocol'
import type { PushKeyPair } from '../store/push-store.ts'

const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64url')

export class Vapid {
  readonly #clock: Clock
  readonly #contact: string
  readonly #key: KeyObject
  readonly #publicKey: string
  /** By origin: a signature for each push would cost more than its encryption. */
  readonly #tokens = new Map<string, { header: string; untilMs: number }>()

  /** `contact`: a URL or mailto: address by which the operator of a push service reaches the operator of the relay. */
  constructor({ privateKey, publicKey }: PushKeyPair, { clock, contact }: { clock: Clock; contact: string }) {
    this.#clock = clock
    this.#contact = contact
    this.#publicKey = base64(publicKey)
    const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map(base64)
    const jwk = { kty: 'EC', crv: 'P-256', x, y, d: base64(privateKey) } as { kty: string; x: string }
    this.#key = createPrivateKey({ key: jwk, format: 'jwk' })
  }

  /** The header `Authorization` for an endpoint. */
  authorization(endpoint: URL): string {
    const nowMs = this.#clock.nowMs()
    const known = this.#tokens.get(endpoint.origin)
    if (known && nowMs < known.untilMs && known.untilMs - nowMs <= pushLimits.tokenMs) return known.header
    if (this.#tokens.size >= pushLimits.hostsKnownMax) this.#tokens.clear()
    const header = `vapid t=${this.#token(endpoint.origin, nowMs)}, k=${this.#publicKey}`
    this.#tokens.set(endpoint.origin, { header, untilMs: nowMs + pushLimits.tokenMs / 2 })
    return header
  }

  #token(aud: string, nowMs: number): string {
    const exp = Math.floor((nowMs + pushLimits.tokenMs) / 1000)
    const head = base64(JSON.stringify({ typ: 'JWT', alg: 'ES256' }))
    const signed = `${head}.${base64(JSON.stringify({ aud, exp, sub: this.#contact }))}`
    return `${signed}.${base64(sign('sha256', Buffer.from(signed), { key: this.#key, dsaEncoding: 'ieee-p1363' }))}`
  }
}
