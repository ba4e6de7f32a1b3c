// An MLS private message as bytes. Read strictly: one message has one form, because its id is a hash of its bytes.
import { copyBytes, GROUP_ID_BYTES, type GroupId, wireLimits } from '@postern/protocol'
import { type EnvelopeHeader, readEnvelopeHeader } from '@postern/protocol/relay'
import type { PrivateMessage } from 'ts-mls'
import { encodeMlsMessage } from 'ts-mls/message.js'
import { MlsError } from '../mls-error.ts'
import { lengthBytes } from '../wire/vector-length.ts'
import { FAREWELLS_BYTES_MAX } from './farewell.ts'

/** RFC 9420 §6.3, with our 16-byte group ids: everything before the ciphertext has a fixed offset. */
const GROUP_ID_AT = 5
const EPOCH_AT = GROUP_ID_AT + GROUP_ID_BYTES
const CONTENT_TYPE_AT = EPOCH_AT + 8
const AUTHENTICATED_DATA_AT = CONTENT_TYPE_AT + 1
/** Leaf, generation, reuse guard and tag. */
export const SEALED_SENDER_DATA_BYTES = 28
/** The length of a message without authenticated data. */
const SHORTEST_BYTES = AUTHENTICATED_DATA_AT + 1 + 1 + SEALED_SENDER_DATA_BYTES
const PREFIX = [0, 1, 0, 2, GROUP_ID_BYTES]
const CONTENT_TYPES = new Map([
  [1, 'application'],
  [3, 'commit'],
] as const)

const malformed = (what: string, cause?: unknown) =>
  new MlsError('mls-malformed', `Not a message of this protocol: ${what}.`, { cause })

export function encodePrivateMessage(privateMessage: PrivateMessage): Uint8Array {
  return encodeMlsMessage({ version: 'mls10', wireformat: 'mls_private_message', privateMessage })
}

/**
 * A copy of the parts. Separate proposals and public messages are not used, so they are refused; farewells come only
 * with a commit.
 */
export function readPrivateMessage(wire: Uint8Array): PrivateMessage {
  if (wire.length > wireLimits.commitBytesMax) throw malformed('it is too large')
  if (wire.length <= SHORTEST_BYTES) throw malformed('it is too short')
  const bytes = copyBytes(wire)
  const contentType = CONTENT_TYPES.get(bytes[CONTENT_TYPE_AT] as 1)
  if (PREFIX.some((byte, at) => bytes[at] !== byte)) throw malformed('it does not start like one')
  if (contentType === undefined) throw malformed('it is neither a message nor a commit')
  const { data: authenticatedData, end: senderDataAt } = readVector(bytes, AUTHENTICATED_DATA_AT)
  const dataBytesMax = contentType === 'commit' ? FAREWELLS_BYTES_MAX : 0
  if (authenticatedData.length > dataBytesMax) throw malformed('it carries authenticated data')
  if (bytes[senderDataAt] !== SEALED_SENDER_DATA_BYTES) throw malformed('its sender data has a wrong size')
  const ciphertextAt = senderDataAt + 1 + SEALED_SENDER_DATA_BYTES
  if (bytes.length <= ciphertextAt) throw malformed('it is too short')
  return {
    groupId: bytes.subarray(GROUP_ID_AT, EPOCH_AT),
    epoch: new DataView(bytes.buffer).getBigUint64(EPOCH_AT),
    contentType,
    authenticatedData,
    encryptedSenderData: bytes.subarray(senderDataAt + 1, ciphertextAt),
    ciphertext: readLastVector(bytes, ciphertextAt),
  }
}

/** A vector, its length in the shortest of the forms of RFC 9420 §2.1.2. */
export function readVector(bytes: Uint8Array, at: number): { data: Uint8Array; end: number } {
  const count = 1 << ((bytes[at] as number) >> 6)
  if (count > 4 || at + count > bytes.length) throw malformed('its length is not written as it should be')
  let length = (bytes[at] as number) & 0x3f
  for (let i = 1; i < count; i++) length = length * 256 + (bytes[at + i] as number)
  if (count !== lengthBytes(length)) throw malformed('its length is not written as it should be')
  const end = at + count + length
  if (end > bytes.length) throw malformed('bytes are missing or left over')
  return { data: bytes.subarray(at + count, end), end }
}

/** One that fills the rest of the bytes. */
function readLastVector(bytes: Uint8Array, at: number): Uint8Array {
  const { data, end } = readVector(bytes, at)
  if (end !== bytes.length) throw malformed('bytes are missing or left over')
  return data
}

function headerOf(wire: Uint8Array): EnvelopeHeader {
  try {
    return readEnvelopeHeader(wire)
  } catch (cause) {
    throw malformed('its header does not read', cause)
  }
}

/** The unencrypted part of a message, a commit or a direct message. */
export const epochOf = (wire: Uint8Array): number => headerOf(wire).epoch
export const groupIdOf = (wire: Uint8Array): GroupId => headerOf(wire).group
