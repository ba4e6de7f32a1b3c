// The frames between a client and the relay: calls with an answer, notes without one, and pushes of the relay.
import {
  type Codec,
  CodecReader,
  fixed,
  type Infer,
  list,
  optional,
  struct,
  text,
  u8,
  u32,
  u53,
  Writer,
} from '../codec.ts'
import { CodedError } from '../errors.ts'
import { ACCOUNT_ID_BYTES } from '../ids.ts'
import { wireLimits } from '../limits.ts'
import {
  answersBefore,
  type CallAnswer,
  type CallName,
  type CallRequest,
  calls,
  type EphemeralFrame,
  entry,
  ephemeral,
  type MailboxEntry,
} from './calls.ts'

/** The version that a client speaks. A relay also understands the previous one: it is updated first, its clients later. */
export const PROTOCOL_VERSION = 3
/**
 * Frames that a relay sends to many clients, or before it knows the client, are the same in both versions and carry
 * this one.
 */
export const PROTOCOL_VERSION_BEFORE = 2
export type SpokenVersion = typeof PROTOCOL_VERSION | typeof PROTOCOL_VERSION_BEFORE
/** Label of the signature by which a device proves that the account's certificate names it. */
export const AUTHENTICATE_LABEL = 'postern relay authenticate v1'
/** Label of the signature by which an account is deleted. */
export const DELETE_ACCOUNT_LABEL = 'postern relay delete account v1'
/** The relay closes a connection with this code when the same device opens a newer one. */
export const REPLACED_CLOSE_CODE = 4001

const acknowledge = struct({ cursor: u53, mark: u53 })
const challenge = struct({ nonce: fixed(32), nowMs: u53 })
const deliver = struct({ entries: list(entry, wireLimits.deliverEntriesMax) })
/** Positions in a mailbox have holes, because they are the same for all accounts. `after` shows whether a page is missing. */
const deliverChained = struct({ after: u53, entries: list(entry, wireLimits.deliverEntriesMax) })
const failure = struct({
  code: text(wireLimits.errorCodeBytesMax),
  message: text(wireLimits.errorMessageBytesMax),
  retryAtMs: optional(u53),
  /** For a revoked certificate: the serial that a new one has to exceed. */
  serial: optional(u53),
})

const TAG_ACKNOWLEDGE = 64
const TAG_CHALLENGE = 128
const TAG_DELIVER = 129
const TAG_ANSWER = 130
const TAG_FAILURE = 131
const TAG_DELIVER_CHAINED = 132
/** Only for connections that have asked for it: an older client would refuse the frame. */
const TAG_EPHEMERAL = 133

export type ClientFrame =
  | { [Name in CallName]: { kind: 'call'; name: Name; id: number; request: CallRequest<Name> } }[CallName]
  | ({ kind: 'acknowledge' } & Infer<typeof acknowledge>)

/** `after`: the last position before the page, for a reader that asked by `followChained`. */
export type Delivery = { after?: number | undefined; entries: MailboxEntry[] }

export type RelayFrame =
  | ({ kind: 'challenge' } & Infer<typeof challenge>)
  | ({ kind: 'deliver' } & Delivery)
  | ({ kind: 'ephemeral' } & EphemeralFrame)
  | { [Name in CallName]: { kind: 'answer'; name: Name; id: number; answer: CallAnswer<Name> } }[CallName]
  | ({ kind: 'failure'; id: number } & Infer<typeof failure>)

const callsByTag = new Map(
  (Object.entries(calls) as [CallName, { tag: number }][]).map(([name, { tag }]) => [tag, name] as const),
)
const callNameOf = (tag: number): CallName => {
  const name = callsByTag.get(tag)
  if (!name) throw new CodedError('frame-malformed', { what: `its kind ${tag} is not known` })
  return name
}

const isSpoken = (version: number): version is SpokenVersion =>
  version === PROTOCOL_VERSION || version === PROTOCOL_VERSION_BEFORE

/** The version in which a frame is answered. */
export const versionOf = (frame: Uint8Array): SpokenVersion =>
  frame[0] === PROTOCOL_VERSION_BEFORE ? PROTOCOL_VERSION_BEFORE : PROTOCOL_VERSION

function start(tag: number, version: SpokenVersion, roomBytes?: number): Writer {
  const into = new Writer(roomBytes)
  u8.write(into, version)
  u8.write(into, tag)
  return into
}

/** Version, kind, position and count; and the fixed part of each entry, its payload and the accounts that it names. */
const DELIVER_HEAD_BYTES = 14
const ENTRY_BYTES = 73

const deliverBytes = (entries: readonly MailboxEntry[]): number =>
  entries.reduce(
    (sum, { payload, added, removed }) =>
      sum + ENTRY_BYTES + payload.length + ACCOUNT_ID_BYTES * (added.length + removed.length),
    DELIVER_HEAD_BYTES,
  )

function open(frame: Uint8Array): { tag: number; from: CodecReader } {
  if (frame.length > wireLimits.frameBytesMax)
    throw new CodedError('too-large', { what: 'The frame', max: wireLimits.frameBytesMax })
  const from = new CodecReader(frame)
  const version = u8.read(from)
  if (!isSpoken(version)) throw new CodedError('version-unsupported', { version, spoken: PROTOCOL_VERSION })
  return { tag: u8.read(from), from }
}

export function encodeClientFrame(frame: ClientFrame): Uint8Array {
  if (frame.kind === 'acknowledge') {
    const into = start(TAG_ACKNOWLEDGE, PROTOCOL_VERSION)
    acknowledge.write(into, frame)
    return into.finish()
  }
  const { tag, request } = calls[frame.name]
  const into = start(tag, PROTOCOL_VERSION)
  u32.write(into, frame.id)
  ;(request as Codec<unknown>).write(into, frame.request)
  return into.finish()
}

export function decodeClientFrame(frame: Uint8Array): ClientFrame {
  const { tag, from } = open(frame)
  if (tag === TAG_ACKNOWLEDGE) return ended(from, { kind: 'acknowledge', ...acknowledge.read(from) })
  const name = callNameOf(tag)
  const id = u32.read(from)
  return ended(from, { kind: 'call', name, id, request: calls[name].request.read(from) } as ClientFrame)
}

const answerCodec = (name: CallName, version: SpokenVersion) =>
  (version === PROTOCOL_VERSION_BEFORE && answersBefore[name]) || calls[name].answer

/** `version`: that of the call that is answered. */
export function encodeRelayFrame(frame: RelayFrame, version: SpokenVersion = PROTOCOL_VERSION): Uint8Array {
  switch (frame.kind) {
    case 'challenge': {
      const into = start(TAG_CHALLENGE, PROTOCOL_VERSION_BEFORE)
      challenge.write(into, frame)
      return into.finish()
    }
    case 'deliver':
      return encodeDelivery(frame)
    case 'ephemeral': {
      const into = start(TAG_EPHEMERAL, PROTOCOL_VERSION_BEFORE)
      ephemeral.write(into, frame)
      return into.finish()
    }
    case 'answer': {
      const into = start(TAG_ANSWER, version)
      u8.write(into, calls[frame.name].tag)
      u32.write(into, frame.id)
      ;(answerCodec(frame.name, version) as Codec<unknown>).write(into, frame.answer)
      return into.finish()
    }
    case 'failure': {
      const into = start(TAG_FAILURE, version)
      u32.write(into, frame.id)
      failure.write(into, frame)
      return into.finish()
    }
  }
}

function encodeDelivery({ after, entries }: Delivery): Uint8Array {
  const tag = after === undefined ? TAG_DELIVER : TAG_DELIVER_CHAINED
  const into = start(tag, PROTOCOL_VERSION_BEFORE, deliverBytes(entries))
  if (after === undefined) deliver.write(into, { entries })
  else deliverChained.write(into, { after, entries })
  return into.finish()
}

/** The bytes before the entries of a chained page. A relay encodes the entries once for all their readers. */
export function chainedHead(after: number, entryCount: number): Uint8Array {
  const into = start(TAG_DELIVER_CHAINED, PROTOCOL_VERSION_BEFORE, DELIVER_HEAD_BYTES)
  u53.write(into, after)
  u32.write(into, entryCount)
  return into.finish()
}

export function decodeRelayFrame(frame: Uint8Array): RelayFrame {
  const { tag, from } = open(frame)
  switch (tag) {
    case TAG_CHALLENGE:
      return ended(from, { kind: 'challenge', ...challenge.read(from) })
    case TAG_DELIVER:
      return ended(from, { kind: 'deliver', ...deliver.read(from) })
    case TAG_DELIVER_CHAINED:
      return ended(from, { kind: 'deliver', ...deliverChained.read(from) })
    case TAG_EPHEMERAL:
      return ended(from, { kind: 'ephemeral', ...ephemeral.read(from) })
    case TAG_ANSWER: {
      const name = callNameOf(u8.read(from))
      const id = u32.read(from)
      return ended(from, { kind: 'answer', name, id, answer: calls[name].answer.read(from) } as RelayFrame)
    }
    case TAG_FAILURE:
      return ended(from, { kind: 'failure', id: u32.read(from), ...failure.read(from) })
    default:
      throw new CodedError('frame-malformed', { what: `its kind ${tag} is not known` })
  }
}

function ended<T>(from: CodecReader, frame: T): T {
  from.finish()
  return frame
}

/** The bytes under a device's proof: this nonce, this relay, this account. */
type Proof = { nonce: Uint8Array; audience: string; accountKey: Uint8Array }

export const authenticationBytes = (proof: Proof): Uint8Array => labelled(AUTHENTICATE_LABEL, proof)

/** Bound to the challenge of one connection: intercepted, it is useless on another. */
export const deletionBytes = (proof: Proof): Uint8Array => labelled(DELETE_ACCOUNT_LABEL, proof)

function labelled(label: string, proof: Proof): Uint8Array {
  const into = new Writer()
  text(64).write(into, label)
  into.raw(proof.nonce)
  text(wireLimits.audienceBytesMax).write(into, proof.audience)
  into.raw(proof.accountKey)
  return into.finish()
}
