// A bare client of the wire: keys, envelopes with a valid header in front of random bytes, and calls.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import {
  type AccountId,
  accountIdFromHash,
  CodedError,
  concatBytes,
  Deferred,
  type GroupId,
  groupIdFromBytes,
  groupIdToBytes,
  isErrorCode,
  type MessageId,
  messageIdFromHash,
  Notifier,
} from '@postern/protocol'
import {
  authenticationBytes,
  type CallAnswer,
  type CallName,
  type CallRequest,
  DIRECT_MARK,
  DIRECT_VERSION,
  decodeRelayFrame,
  deviceCertificateBytes,
  EPHEMERAL_MARK,
  EPHEMERAL_VERSION,
  type EphemeralFrame,
  encodeClientFrame,
  encodeDeviceCertificate,
  type MailboxEntry,
  type RelayFrame,
} from '@postern/protocol/relay'
import { WebSocket } from 'ws'

type Signer = { publicKey: Uint8Array; privateKey: KeyObject }

function newSigner(): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return {
    publicKey: new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')),
    privateKey,
  }
}

export type BarePerson = { id: AccountId; account: Signer; device: Signer }

export function newPerson(): BarePerson {
  const account = newSigner()
  return { id: accountIdFromHash(sha256(account.publicKey)), account, device: newSigner() }
}

/** Another device of the same account. */
export const anotherDevice = (person: BarePerson): BarePerson => ({ ...person, device: newSigner() })

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
export const idOf = (payload: Uint8Array): MessageId => messageIdFromHash(sha256(payload))
export const newGroupId = (): GroupId => groupIdFromBytes(randomBytes(16))

type Sealed = { group: GroupId; epoch: number; size?: number }

function envelope(head: number[], tail: number[], { group, epoch, size = 64 }: Sealed): Uint8Array {
  const epochBytes = Buffer.alloc(8)
  epochBytes.writeBigUInt64BE(BigInt(epoch))
  return concatBytes(Uint8Array.from(head), groupIdToBytes(group), epochBytes, Uint8Array.from(tail), randomBytes(size))
}

export const messageEnvelope = (sealed: Sealed): Uint8Array => envelope([0, 1, 0, 2, 16], [1], sealed)
export const commitEnvelope = (sealed: Sealed): Uint8Array => envelope([0, 1, 0, 2, 16], [3], sealed)
export const directEnvelope = (sealed: Sealed): Uint8Array => envelope([DIRECT_MARK, DIRECT_VERSION], [], sealed)
export const ephemeralEnvelope = (sealed: Sealed): Uint8Array =>
  envelope([EPHEMERAL_MARK, EPHEMERAL_VERSION], [], sealed)

const NEVER_SEC = 9_999_999_999

/** The proof that the relay requires; a test can spoil each part. */
type ProofOptions = { nonce: Uint8Array; audience: string; notAfterSec?: number; serial?: number }

export function proofOf(person: BarePerson, given: ProofOptions) {
  const { nonce, audience, notAfterSec = NEVER_SEC, serial = 1 } = given
  const accountKey = person.account.publicKey
  const deviceKey = person.device.publicKey
  const signature = sign(null, deviceCertificateBytes({ deviceKey, serial, notAfterSec }), person.account.privateKey)
  return {
    accountKey,
    deviceKey,
    certificate: encodeDeviceCertificate({ serial, notAfterSec, signature }),
    audience,
    invite: undefined as string | undefined,
    signature: new Uint8Array(
      sign(null, authenticationBytes({ nonce, audience, accountKey }), person.device.privateKey),
    ),
  }
}

type Challenge = Extract<RelayFrame, { kind: 'challenge' }>

export class TestClient {
  readonly socket: WebSocket
  readonly host: string
  /** Everything that was delivered, and the sizes of the pages it came in. */
  readonly entries: MailboxEntry[] = []
  readonly pages: number[] = []
  /** The frames that the relay stores nowhere. */
  readonly ephemeral: EphemeralFrame[] = []
  /** The position before each page, where the page names it. */
  readonly afters: (number | undefined)[] = []
  /** Acknowledge each page as it comes. */
  autoAcknowledge = false
  readonly closed: Promise<{ code: number; reason: string }>
  readonly challenge: Promise<Challenge>
  #nextId = 1
  readonly #waiting = new Map<number, Pick<Deferred<never>, 'resolve' | 'reject'>>()
  readonly #deliveries = new Notifier()

  /** `ca`: the certificate of the authority that an https address is checked by. */
  constructor(url: string, options: { headers?: Record<string, string>; ca?: string } = {}) {
    this.host = options.headers?.['host'] ?? new URL(url).host
    this.socket = new WebSocket(`${url.replace(/^http/, 'ws')}/relay/v1`, { perMessageDeflate: false, ...options })
    const challenged = new Deferred<Challenge>()
    challenged.promise.catch(() => undefined)
    this.challenge = challenged.promise
    this.socket.on('message', data => {
      const frame = decodeRelayFrame(data as Buffer)
      if (frame.kind === 'challenge') challenged.resolve(frame)
      else this.#receive(frame)
    })
    this.socket.on('error', error => challenged.reject(error))
    const closed = new Deferred<{ code: number; reason: string }>()
    this.closed = closed.promise
    this.socket.once('close', (code, reason) => {
      challenged.reject(new Error('closed'))
      for (const answered of this.#waiting.values()) answered.reject(new Error('closed'))
      this.#waiting.clear()
      closed.resolve({ code, reason: reason.toString() })
    })
  }

  #receive(frame: Exclude<RelayFrame, { kind: 'challenge' }>): void {
    if (frame.kind === 'deliver') {
      this.entries.push(...frame.entries)
      this.pages.push(frame.entries.length)
      this.afters.push(frame.after)
      if (this.autoAcknowledge) this.acknowledge(this.lastCursor)
      this.#deliveries.notify()
      return
    }
    if (frame.kind === 'ephemeral') {
      this.ephemeral.push({ sender: frame.sender, payload: frame.payload })
      return this.#deliveries.notify()
    }
    const waiting = this.#waiting.get(frame.id)
    this.#waiting.delete(frame.id)
    if (frame.kind === 'answer') waiting?.resolve(frame.answer as never)
    else waiting?.reject(failed(frame))
  }

  get lastCursor(): number {
    return this.entries.at(-1)?.cursor ?? 0
  }

  call<Name extends CallName>(name: Name, request: CallRequest<Name>): Promise<CallAnswer<Name>> {
    // A frame sent on a closed socket would vanish, and the test would wait forever.
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('closed'))
    const id = this.#nextId++
    const answered = new Deferred<CallAnswer<Name>>()
    this.#waiting.set(id, answered)
    this.socket.send(encodeClientFrame({ kind: 'call', name, id, request } as never))
    return answered.promise
  }

  acknowledge(cursor: number, mark = 0): void {
    this.socket.send(encodeClientFrame({ kind: 'acknowledge', cursor, mark }))
  }

  append(payload: Uint8Array, options: { to?: AccountId; leave?: boolean } = {}): Promise<CallAnswer<'append'>> {
    return this.call('append', { payload, to: options.to, leave: options.leave ?? false })
  }

  commit(payload: Uint8Array, change: { add?: AccountId[]; remove?: AccountId[] } = {}): Promise<CallAnswer<'commit'>> {
    const { add = [], remove = [] } = change
    return this.call('commit', { payload, add, remove, welcome: add.length > 0 ? randomBytes(80) : undefined })
  }

  async authenticate(
    person: BarePerson,
    intent: 'login' | 'register' = 'register',
  ): Promise<CallAnswer<'authenticate'>> {
    const { nonce } = await this.challenge
    return this.call('authenticate', { ...proofOf(person, { nonce, audience: this.host }), intent })
  }

  /** With an invite, for a relay with restricted registration. */
  async register(person: BarePerson, invite: string): Promise<CallAnswer<'authenticate'>> {
    const { nonce } = await this.challenge
    const proof = proofOf(person, { nonce, audience: this.host })
    return this.call('authenticate', { ...proof, intent: 'register', invite })
  }

  /** Waits until this many entries were delivered in all. */
  async delivered(count: number): Promise<MailboxEntry[]> {
    while (this.entries.length < count) await this.#deliveries.next()
    return this.entries
  }

  /** Waits until this many ephemeral frames came in all. */
  async ephemerals(count: number): Promise<EphemeralFrame[]> {
    while (this.ephemeral.length < count) await this.#deliveries.next()
    return this.ephemeral
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }
}

function failed({ code, message, retryAtMs, serial }: Extract<RelayFrame, { kind: 'failure' }>): Error {
  return new CodedError(isErrorCode(code) ? code : 'internal', { retryAtMs, serial }, { message })
}

export async function connect(url: string, person: BarePerson): Promise<TestClient> {
  const client = new TestClient(url)
  await client.authenticate(person)
  return client
}
