// The part of an envelope that the relay can read: group, epoch and kind come unencrypted before the ciphertext.
import { CodedError } from '../errors.ts'
import { GROUP_ID_BYTES, type GroupId, groupIdFromBytes } from '../ids.ts'

export type EnvelopeHeader = { group: GroupId; epoch: number; kind: 'message' | 'commit' | 'direct' }

/** First byte of a message to one member; an MLS message starts with its version, 0x0001. */
export const DIRECT_MARK = 0xd1
export const DIRECT_VERSION = 1
/** First byte of a frame that is relayed and not stored. */
export const EPHEMERAL_MARK = 0xd2
export const EPHEMERAL_VERSION = 1

const MLS_VERSION = 1
const MLS_PRIVATE_MESSAGE = 2
const MLS_APPLICATION = 1
const MLS_COMMIT = 3

const malformed = (what: string): CodedError => new CodedError('frame-malformed', { what })

/** RFC 9420, section 6.3: version, wire format, group id, epoch, content type; or our own header of a direct message. */
export function readEnvelopeHeader(envelope: Uint8Array): EnvelopeHeader {
  if (envelope.length < 32) throw malformed('an envelope is too short')
  const view = new DataView(envelope.buffer, envelope.byteOffset, envelope.byteLength)
  if (view.getUint8(0) === DIRECT_MARK) {
    if (view.getUint8(1) !== DIRECT_VERSION) throw malformed('a direct message has an unknown version')
    return { ...groupAndEpoch(view, 2), kind: 'direct' }
  }
  if (view.getUint16(0) !== MLS_VERSION || view.getUint16(2) !== MLS_PRIVATE_MESSAGE)
    throw malformed('an envelope is not an MLS private message')
  if (view.getUint8(4) !== GROUP_ID_BYTES) throw malformed('a group id has the wrong length')
  const contentType = view.getUint8(5 + GROUP_ID_BYTES + 8)
  if (contentType !== MLS_APPLICATION && contentType !== MLS_COMMIT)
    throw malformed('an envelope is neither a message nor a commit')
  return { ...groupAndEpoch(view, 5), kind: contentType === MLS_COMMIT ? 'commit' : 'message' }
}

/** Our own header of a frame that is relayed and not stored: mark, version, group id, epoch. */
export function readEphemeralHeader(payload: Uint8Array): Omit<EnvelopeHeader, 'kind'> {
  if (payload.length < 32) throw malformed('an ephemeral frame is too short')
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength)
  if (view.getUint8(0) !== EPHEMERAL_MARK || view.getUint8(1) !== EPHEMERAL_VERSION)
    throw malformed('an ephemeral frame has an unknown form')
  return groupAndEpoch(view, 2)
}

function groupAndEpoch(view: DataView, at: number): { group: GroupId; epoch: number } {
  const epoch = view.getBigUint64(at + GROUP_ID_BYTES)
  if (epoch > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed('an epoch is out of range')
  const group = groupIdFromBytes(new Uint8Array(view.buffer, view.byteOffset + at, GROUP_ID_BYTES))
  return { group, epoch: Number(epoch) }
}
