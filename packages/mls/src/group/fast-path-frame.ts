// The bytes around a text (RFC 9420 §6), written out for our one suite. The parts that all texts of an epoch share are
// made once.
import type { ClientState } from 'ts-mls'
import { encodeGroupContext } from 'ts-mls/groupContext.js'
import { MLS_SUITE, SIGNATURE_BYTES } from '../crypto/provider.ts'
import { lengthBytes, writeLength } from '../wire/vector-length.ts'
import { SEALED_SENDER_DATA_BYTES } from './private-message.ts'

type GroupContext = ClientState['groupContext']

export interface EpochFrame {
  /** The data that the ciphertext and the sender data are bound to: PrivateContentAAD and SenderDataAAD. */
  contentAad: Uint8Array
  senderAad: Uint8Array
  /** The message up to its sealed sender data. */
  wireHead: Uint8Array
  /** FramedContentTBS around the text: the leaf is filled in. */
  signedHead: Uint8Array
  leafAt: number
  signedTail: Uint8Array
}

const MLS_10_PRIVATE = [0, 1, 0, 2]
const MEMBER = 1
const APPLICATION = 1
const NO_DATA = 0
const NO_LEAF = [0, 0, 0, 0]
/** A longer one has another form of length; ours have 16 bytes. */
const GROUP_ID_BYTES_MAX = 63
const LABEL = new TextEncoder().encode('MLS 1.0 FramedContentTBS')
const LABEL_END = 1 + LABEL.length

const frames = new WeakMap<GroupContext, EpochFrame>()

/** Undefined for a group that is not ours. */
export function frameOf(context: GroupContext): EpochFrame | undefined {
  const known = frames.get(context)
  if (known !== undefined) return known
  const { version, cipherSuite, groupId } = context
  if (version !== 'mls10' || cipherSuite !== MLS_SUITE || groupId.length > GROUP_ID_BYTES_MAX) return undefined
  const frame = makeFrame(context)
  frames.set(context, frame)
  return frame
}

function makeFrame(context: GroupContext): EpochFrame {
  const epoch = new Uint8Array(8)
  new DataView(epoch.buffer).setBigUint64(0, context.epoch)
  const place = [context.groupId.length, ...context.groupId, ...epoch]
  return {
    contentAad: Uint8Array.from([...place, APPLICATION, NO_DATA]),
    senderAad: Uint8Array.from([...place, APPLICATION]),
    wireHead: Uint8Array.from([...MLS_10_PRIVATE, ...place, APPLICATION, NO_DATA, SEALED_SENDER_DATA_BYTES]),
    signedHead: Uint8Array.from([...MLS_10_PRIVATE, ...place, MEMBER, ...NO_LEAF, NO_DATA, APPLICATION]),
    leafAt: MLS_10_PRIVATE.length + place.length + 1,
    signedTail: encodeGroupContext(context),
  }
}

/** A text of usual size is framed in existing memory: each new allocation of more than 64 bytes costs as much as a hash. */
const SCRATCH_BYTES = 8192
const signedScratch = new Uint8Array(SCRATCH_BYTES)
const contentScratch = new Uint8Array(SCRATCH_BYTES)
const room = (scratch: Uint8Array, bytes: number): Uint8Array =>
  bytes <= SCRATCH_BYTES ? scratch.subarray(0, bytes) : new Uint8Array(bytes)

/** The bytes that the sender signs. Valid until the next call. */
export function signedBytes(frame: EpochFrame, leaf: number, text: Uint8Array): Uint8Array {
  const { signedHead, leafAt, signedTail } = frame
  const length = signedHead.length + lengthBytes(text.length) + text.length + signedTail.length
  const signed = room(signedScratch, LABEL_END + lengthBytes(length) + length)
  signed[0] = LABEL.length
  signed.set(LABEL, 1)
  const headAt = writeLength(signed, LABEL_END, length)
  signed.set(signedHead, headAt)
  new DataView(signed.buffer).setUint32(headAt + leafAt, leaf)
  const textAt = writeLength(signed, headAt + signedHead.length, text.length)
  signed.set(text, textAt)
  signed.set(signedTail, textAt + text.length)
  return signed
}

/**
 * The bytes that are encrypted: text and signature, each after its length, padded with zeros. Valid until the next
 * call.
 */
export function contentOf(text: Uint8Array, signature: Uint8Array, paddedBytes: number): Uint8Array {
  const content = room(contentScratch, paddedBytes)
  const textAt = writeLength(content, 0, text.length)
  content.set(text, textAt)
  const signatureAt = writeLength(content, textAt + text.length, SIGNATURE_BYTES)
  content.set(signature, signatureAt)
  content.fill(0, signatureAt + SIGNATURE_BYTES)
  return content
}
