// The thinnest client of the relay's wire: proves its account, appends, and follows its mailbox.
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

/** `intent`: an account that the relay does not have yet registers. */
type Opening = { intent?: 'login' | 'register'; onEntries?: (count: number) => void }

export class WireClient {
  readonly #socket: RelaySocket
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>()
  readonly #authenticated = Promise.withResolvers<void>()
  #lastId = 0
  #lastCursor = 0

  private constructor(relayUrl: string, account: Account, opening: Opening) {
    const url = new URL('/relay/v1', relayUrl)
    const { host } = url
    url.protocol = 'ws:'
    this.#socket = connectNodeSocket(url.href, {
      message: bytes => this.#receive(decodeRelayFrame(bytes), { ...opening, account, audience: host }),
      closed: reason => this.#authenticated.reject(new Error(reason)),
    })
  }

  static async open(relayUrl: string, account: Account, opening: Opening = {}): Promise<WireClient> {
    const client = new WireClient(relayUrl, account, opening)
    await client.#authenticated.promise
    return client
  }

  append(payload: Uint8Array): Promise<void> {
    return this.call('append', { payload, to: undefined, leave: false })
  }

  /** From the beginning of the mailbox. */
  follow(): Promise<void> {
    return this.call('follow', { after: 0 })
  }

  /** Acknowledges everything that has arrived. */
  acknowledge(): void {
    this.#socket.send(encodeClientFrame({ kind: 'acknowledge', cursor: this.#lastCursor, mark: 0 }))
  }

  close(): void {
    this.#socket.close()
  }

  call<Name extends CallName>(name: Name, request: CallRequest<Name>): Promise<void> {
    const answered = Promise.withResolvers<void>()
    this.#lastId += 1
    this.#waiting.set(this.#lastId, answered)
    this.#socket.send(encodeClientFrame({ kind: 'call', name, id: this.#lastId, request } as ClientFrame))
    return answered.promise
  }

  #receive(frame: RelayFrame, opening: Opening & { account: Account; audience: string }): void {
    if (frame.kind === 'deliver') {
      this.#lastCursor = frame.entries.at(-1)?.cursor ?? this.#lastCursor
      opening.onEntries?.(frame.entries.length)
    }
    if (frame.kind === 'challenge') {
      const proof = proofOf(opening, frame.nonce)
      this.call('authenticate', proof).then(this.#authenticated.resolve, this.#authenticated.reject)
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
  { account: { account, device }, audience, intent = 'login' }: Opening & { account: Account; audience: string },
  nonce: Uint8Array,
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
    intent,
    invite: undefined,
  }
}
