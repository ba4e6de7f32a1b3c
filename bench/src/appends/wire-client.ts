// The thinnest client of the relay's wire: proves its account, and appends.
import { sign } from 'node:crypto'
import { connectNodeSocket, type RelaySocket } from '@postern/core/node'
import {
  authenticationBytes,
  type CallName,
  type CallRequest,
  type ClientFrame,
  decodeRelayFrame,
  deviceCertificateBytes,
  encodeClientFrame,
  encodeDeviceCertificate,
  type RelayFrame,
} from '@postern/protocol/relay'
import type { Account } from './people.ts'

const NEVER_SEC = 9_999_999_999

export class WireClient {
  readonly #socket: RelaySocket
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>()
  readonly #authenticated = Promise.withResolvers<void>()
  #lastId = 0

  private constructor(relayUrl: string, account: Account) {
    const url = new URL('/relay/v1', relayUrl)
    const { host } = url
    url.protocol = 'ws:'
    this.#socket = connectNodeSocket(url.href, {
      message: bytes => this.#take(decodeRelayFrame(bytes), { account, audience: host }),
      closed: reason => this.#authenticated.reject(new Error(reason)),
    })
  }

  static async open(relayUrl: string, account: Account): Promise<WireClient> {
    const client = new WireClient(relayUrl, account)
    await client.#authenticated.promise
    return client
  }

  append(payload: Uint8Array): Promise<void> {
    return this.#call('append', { payload, to: undefined, leave: false })
  }

  close(): void {
    this.#socket.close()
  }

  #call<Name extends CallName>(name: Name, request: CallRequest<Name>): Promise<void> {
    const answered = Promise.withResolvers<void>()
    this.#lastId += 1
    this.#waiting.set(this.#lastId, answered)
    this.#socket.send(encodeClientFrame({ kind: 'call', name, id: this.#lastId, request } as ClientFrame))
    return answered.promise
  }

  #take(frame: RelayFrame, { account, audience }: { account: Account; audience: string }): void {
    if (frame.kind === 'challenge') {
      const proof = proofOf(account, { nonce: frame.nonce, audience })
      this.#call('authenticate', proof).then(this.#authenticated.resolve, this.#authenticated.reject)
    }
    if (frame.kind === 'failure') this.#waiting.get(frame.id)?.reject(new Error(frame.message))
    if (frame.kind === 'answer') {
      if (frame.name === 'append' && !frame.answer.accepted) throw new Error('the epoch is wrong')
      this.#waiting.get(frame.id)?.resolve()
      this.#waiting.delete(frame.id)
    }
  }
}

function proofOf(
  { account, device }: Account,
  { nonce, audience }: { nonce: Uint8Array; audience: string },
): CallRequest<'authenticate'> {
  const accountKey = account.publicKey
  const certified = { serial: 1, notAfterSec: NEVER_SEC }
  const signed = deviceCertificateBytes({ ...certified, deviceKey: device.publicKey })
  return {
    accountKey,
    deviceKey: device.publicKey,
    certificate: encodeDeviceCertificate({ ...certified, signature: sign(null, signed, account.privateKey) }),
    audience,
    signature: sign(null, authenticationBytes({ nonce, audience, accountKey }), device.privateKey),
    intent: 'login',
    invite: undefined,
  }
}
