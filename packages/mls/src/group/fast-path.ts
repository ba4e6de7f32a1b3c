// The fast path for texts: one suite, one form, and synchronous primitives. Everything unusual is left to ts-mls, which
// also reports what is wrong with it: no answer means "not on this path", and never "it is forged". The path has no
// side effects: it returns bytes and next state together. A caller that stores the state before it sends the bytes uses
// no key twice.
import { copyBytes } from '@postern/protocol'
import type { ClientState, GenerationSecret, PrivateMessage } from 'ts-mls'
import { KdfLabel } from '../crypto/kdf-label.ts'
import {
  type FastPath,
  type FastPathPrimitives,
  KEY_BYTES,
  NONCE_BYTES,
  type OpenedText,
  SIGNATURE_BYTES,
  TAG_BYTES,
  type TextSeal,
} from '../crypto/provider.ts'
import { paddedTextBytes } from '../wire/padding.ts'
import { lengthBytes, writeLength } from '../wire/vector-length.ts'
import { contentOf, type EpochFrame, frameOf, signedBytes } from './fast-path-frame.ts'
import { type LeafRatchets, ratchetsAt } from './leaf-ratchets.ts'
import { readVector, SEALED_SENDER_DATA_BYTES } from './private-message.ts'

const AES_KEY_BYTES = 16
const GUARD_BYTES = 4
/** Leaf, generation, reuse guard. */
const GENERATION_AT = 4
const GUARD_AT = 8
const SENDER_DATA_BYTES = GUARD_AT + GUARD_BYTES
/** This many bytes of a ciphertext go into the keys of its sender data. */
const SAMPLE_BYTES = KEY_BYTES
/** The last generation: a ratchet has no number after it. */
const GENERATION_MAX = 2 ** 32 - 1

const inRatchet = { contextBytes: GENERATION_AT }
const messageKey = new KdfLabel('key', { bytes: AES_KEY_BYTES, ...inRatchet })
const messageNonce = new KdfLabel('nonce', { bytes: NONCE_BYTES, ...inRatchet })
const nextSecret = new KdfLabel('secret', { bytes: KEY_BYTES, ...inRatchet })
const senderKey = new KdfLabel('key', { bytes: AES_KEY_BYTES, contextBytes: SAMPLE_BYTES })
const senderNonce = new KdfLabel('nonce', { bytes: NONCE_BYTES, contextBytes: SAMPLE_BYTES })

export function makeFastPath(primitives: FastPathPrimitives): FastPath {
  return {
    seal: (state, text) => sealed(primitives, state, text),
    open(state, message) {
      try {
        return opened(primitives, state, message)
      } catch {
        // ts-mls reports it, in its own words, when it fails there as well.
        return undefined
      }
    },
  }
}

function sealed(primitives: FastPathPrimitives, state: ClientState, text: Uint8Array) {
  const leaf = state.privatePath.leafIndex
  const frame = frameOf(state.groupContext)
  const own = maySend(state) ? ratchetsAt(primitives.hmac, state.secretTree, leaf) : undefined
  if (frame === undefined || own === undefined || own.ratchets.application.generation >= GENERATION_MAX) return
  const ratchet = own.ratchets.application
  const signature = primitives.sign(state.signaturePrivateKey, signedBytes(frame, leaf, text))
  const content = contentOf(text, signature, paddedTextBytes(text.length))
  const senderData = new Uint8Array(SENDER_DATA_BYTES)
  const view = new DataView(senderData.buffer)
  view.setUint32(0, leaf)
  view.setUint32(GENERATION_AT, ratchet.generation)
  senderData.set(primitives.randomBytes(GUARD_BYTES), GUARD_AT)
  const sealedBytes = content.length + TAG_BYTES
  const { wireHead } = frame
  const senderEnd = wireHead.length + SEALED_SENDER_DATA_BYTES
  const wire = new Uint8Array(senderEnd + lengthBytes(sealedBytes) + sealedBytes)
  wire.set(wireHead)
  const ciphertext = wire.subarray(writeLength(wire, senderEnd, sealedBytes))
  primitives.aesSealInto(ciphertext, contentSeal(primitives, ratchet, { frame, senderData }), content)
  const senderSeal = sealOfSender(primitives, state, { frame, ciphertext })
  primitives.aesSealInto(wire.subarray(wireHead.length, senderEnd), senderSeal, senderData)
  return { state: withRatchetMoved(primitives, state, { leaf, of: own, senderData }), wire }
}

/** ts-mls reports what prevents a group from sending. */
function maySend({ groupActiveState, unappliedProposals }: ClientState): boolean {
  return groupActiveState.kind === 'active' && Object.keys(unappliedProposals).length === 0
}

function opened(primitives: FastPathPrimitives, state: ClientState, message: PrivateMessage): OpenedText | undefined {
  const frame = frameOf(state.groupContext)
  const { ciphertext, contentType, encryptedSenderData, authenticatedData } = message
  if (frame === undefined || contentType !== 'application' || authenticatedData.length > 0) return
  if (ciphertext.length < SAMPLE_BYTES || encryptedSenderData.length !== SEALED_SENDER_DATA_BYTES) return
  const senderData = primitives.aesOpen(sealOfSender(primitives, state, { frame, ciphertext }), encryptedSenderData)
  const view = new DataView(senderData.buffer, senderData.byteOffset, SENDER_DATA_BYTES)
  const leaf = view.getUint32(0)
  const generation = view.getUint32(GENERATION_AT)
  const node = state.ratchetTree[2 * leaf]
  if (node?.nodeType !== 'leaf') return
  const theirs = ratchetsAt(primitives.hmac, state.secretTree, leaf)
  const ratchet = theirs?.ratchets.application
  if (theirs === undefined || ratchet?.generation !== generation || generation >= GENERATION_MAX) return
  const content = primitives.aesOpen(contentSeal(primitives, ratchet, { frame, senderData }), ciphertext)
  const { text, signature } = partsOf(content)
  if (signature.length !== SIGNATURE_BYTES) return
  if (!primitives.verify(node.leaf.signaturePublicKey, signedBytes(frame, leaf, text), signature)) return
  const next = withRatchetMoved(primitives, state, { leaf, of: theirs, senderData })
  return { state: next, text: copyBytes(text), senderLeaf: leaf }
}

/** Text and signature, each after its length in the shortest form; then nothing but zeros. */
function partsOf(content: Uint8Array): { text: Uint8Array; signature: Uint8Array } {
  const { data: text, end: textEnd } = readVector(content, 0)
  const { data: signature, end } = readVector(content, textEnd)
  for (let at = end; at < content.length; at++) if (content[at] !== 0) throw new Error('it is not filled up with zeros')
  return { text, signature }
}

type InEpoch = { frame: EpochFrame; senderData: Uint8Array }

/** Key and nonce of one generation (RFC 9420 §9.1), the nonce combined with the reuse guard. */
function contentSeal(
  { hmac }: FastPathPrimitives,
  ratchet: GenerationSecret,
  { frame, senderData }: InEpoch,
): TextSeal {
  const generation = senderData.subarray(GENERATION_AT, GUARD_AT)
  const key = hmac(ratchet.secret, messageKey.of(generation)).subarray(0, AES_KEY_BYTES)
  const nonce = hmac(ratchet.secret, messageNonce.of(generation)).subarray(0, NONCE_BYTES)
  for (let i = 0; i < GUARD_BYTES; i++) nonce[i] = (nonce[i] as number) ^ (senderData[GUARD_AT + i] as number)
  return { key, nonce, aad: frame.contentAad }
}

/** RFC 9420 §6.3.2. */
function sealOfSender(
  { hmac }: FastPathPrimitives,
  { keySchedule }: ClientState,
  { frame, ciphertext }: { frame: EpochFrame; ciphertext: Uint8Array },
): TextSeal {
  const sample = ciphertext.subarray(0, SAMPLE_BYTES)
  return {
    key: hmac(keySchedule.senderDataSecret, senderKey.of(sample)).subarray(0, AES_KEY_BYTES),
    nonce: hmac(keySchedule.senderDataSecret, senderNonce.of(sample)).subarray(0, NONCE_BYTES),
    aad: frame.senderAad,
  }
}

/** The state after this generation: no used key can be derived from it again. */
function withRatchetMoved(
  { hmac }: FastPathPrimitives,
  state: ClientState,
  { leaf, of, senderData }: { leaf: number; of: LeafRatchets; senderData: Uint8Array },
): ClientState {
  const { application } = of.ratchets
  const secret = hmac(application.secret, nextSecret.of(senderData.subarray(GENERATION_AT, GUARD_AT)))
  const secretTree = of.tree.slice()
  secretTree[2 * leaf] = {
    ...of.ratchets,
    application: { ...application, secret, generation: application.generation + 1 },
  }
  return { ...state, secretTree }
}
