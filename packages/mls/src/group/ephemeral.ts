// A frame to all members of a group that need not arrive: sealed under a secret of the epoch, signed by the sender's leaf.
// It uses no key of the sender's ratchet, so that a lost one costs nothing. Within an epoch it has no forward secrecy.
import { concatBytes, copyBytes, equalBytes, GROUP_ID_BYTES, wireLimits } from '@postern/protocol'
import { EPHEMERAL_MARK, EPHEMERAL_VERSION } from '@postern/protocol/relay'
import type { ClientState } from 'ts-mls'
import { signWithLabel, verifyWithLabel } from 'ts-mls/crypto/signature.js'
import { mlsExporter } from 'ts-mls/keySchedule.js'
import { type MlsProvider, TAG_BYTES } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { assertMember, type GroupSession } from './group-session.ts'
import { CONTENT_MIN_BYTES, leafAt, padded, unpadded } from './signed-content.ts'

/** Unencrypted: mark, version, group id, epoch (8), sender's leaf (4), and a salt that makes each key its own. */
const EPOCH_AT = 2 + GROUP_ID_BYTES
const FROM_AT = EPOCH_AT + 8
const SALT_AT = FROM_AT + 4
const SALT_BYTES = 16
const HEADER_BYTES = SALT_AT + SALT_BYTES

const LABEL = 'postern ephemeral v1'
const NONCE_LABEL = 'postern ephemeral v1 nonce'

export async function sealEphemeral(session: GroupSession, plaintext: Uint8Array): Promise<Uint8Array> {
  assertMember(session)
  const {
    context: { provider },
    state,
  } = session
  const { hpke, signature } = provider.cipherSuite
  const header = headerOf(provider, state)
  const proof = await signWithLabel(state.signaturePrivateKey, LABEL, concatBytes(header, plaintext), signature)
  const { key, nonce } = await keysOf(provider, state, header)
  const wire = concatBytes(header, await hpke.encryptAead(key, nonce, header, padded(proof, plaintext)))
  if (wire.length > wireLimits.ephemeralBytesMax) throw new RangeError('the ephemeral frame is too large')
  return wire
}

/** Throws an `MlsError` for everything that is not such a frame of this epoch by another member. */
export async function openEphemeral(
  session: GroupSession,
  wire: Uint8Array,
): Promise<{ plaintext: Uint8Array; senderLeaf: number }> {
  assertMember(session)
  const {
    context: { provider },
    state,
  } = session
  const bytes = copyBytes(wire)
  const senderLeaf = senderIn(state, bytes)
  const sender = leafAt(state, senderLeaf)
  if (!sender) throw new MlsError('mls-undecryptable', 'The ephemeral frame is from nobody.')
  const header = bytes.subarray(0, HEADER_BYTES)
  const { hpke, signature } = provider.cipherSuite
  try {
    const { key, nonce } = await keysOf(provider, state, header)
    const { proof, plaintext } = unpadded(await hpke.decryptAead(key, nonce, header, bytes.subarray(HEADER_BYTES)))
    const signed = concatBytes(header, plaintext)
    if (!(await verifyWithLabel(sender.signaturePublicKey, LABEL, signed, proof, signature)))
      throw new MlsError('mls-undecryptable', 'The signature of the ephemeral frame is forged.')
    return { plaintext, senderLeaf }
  } catch (cause) {
    if (cause instanceof MlsError) throw cause
    throw new MlsError('mls-undecryptable', 'The ephemeral frame does not decrypt.', { cause })
  }
}

function headerOf(provider: MlsProvider, { groupContext, privatePath }: ClientState): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  view.setUint8(0, EPHEMERAL_MARK)
  view.setUint8(1, EPHEMERAL_VERSION)
  header.set(groupContext.groupId, 2)
  view.setBigUint64(EPOCH_AT, groupContext.epoch)
  view.setUint32(FROM_AT, privatePath.leafIndex)
  header.set(provider.randomBytes(SALT_BYTES), SALT_AT)
  return header
}

function senderIn({ groupContext, privatePath }: ClientState, bytes: Uint8Array): number {
  const isOurs = bytes[0] === EPHEMERAL_MARK && bytes[1] === EPHEMERAL_VERSION
  const bytesMin = HEADER_BYTES + CONTENT_MIN_BYTES + TAG_BYTES
  if (!isOurs || bytes.length < bytesMin || bytes.length > wireLimits.ephemeralBytesMax)
    throw new MlsError('mls-malformed', 'Not an ephemeral frame of this protocol.')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!equalBytes(bytes.subarray(2, EPOCH_AT), groupContext.groupId))
    throw new MlsError('mls-wrong-group', 'The ephemeral frame is for another group.')
  if (view.getBigUint64(EPOCH_AT) !== groupContext.epoch)
    throw new MlsError('mls-wrong-epoch', 'The ephemeral frame is of another epoch.')
  const from = view.getUint32(FROM_AT)
  if (from === privatePath.leafIndex) throw new MlsError('mls-own-message', 'We wrote this ourselves.')
  return from
}

/** The nonce may be derived: the salt in the header gives every frame its own key. */
async function keysOf({ cipherSuite }: MlsProvider, { keySchedule }: ClientState, header: Uint8Array) {
  const { exporterSecret } = keySchedule
  const { keyLength, nonceLength } = cipherSuite.hpke
  return {
    key: await mlsExporter(exporterSecret, LABEL, header, keyLength, cipherSuite),
    nonce: await mlsExporter(exporterSecret, NONCE_LABEL, header, nonceLength, cipherSuite),
  }
}
