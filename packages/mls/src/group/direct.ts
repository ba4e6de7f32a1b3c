// A message to one member of a group: sealed to that member's leaf key, bound to the epoch, signed by the sender's leaf.
// Within an epoch it has no forward secrecy, so it is for presses, toasts and receipts, not for talk.
import { concatBytes, copyBytes, equalBytes, GROUP_ID_BYTES, utf8, wireLimits } from '@postern/protocol'
import { DIRECT_MARK, DIRECT_VERSION } from '@postern/protocol/relay'
import type { ClientState } from 'ts-mls'
import { signWithLabel, verifyWithLabel } from 'ts-mls/crypto/signature.js'
import { mlsExporter } from 'ts-mls/keySchedule.js'
import { KEY_BYTES, type MlsProvider, TAG_BYTES } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { assertMember, type GroupSession } from './group-session.ts'
import { CONTENT_MIN_BYTES, leafAt, padded, unpadded } from './signed-content.ts'

/** Unencrypted: mark, version, group id, epoch (8), sender's leaf (4), receiver's leaf (4). */
const EPOCH_AT = 2 + GROUP_ID_BYTES
const FROM_AT = EPOCH_AT + 8
const TO_AT = FROM_AT + 4
const HEADER_BYTES = TO_AT + 4
/** After the header: the HPKE share, then signature, length, text and padding under the key. */
const SEALED_AT = HEADER_BYTES + KEY_BYTES

const SIGNATURE_LABEL = 'postern direct v1'
const EXPORTER_LABEL = 'postern direct v1'
const HPKE_CONTEXT = utf8('postern direct v1 hpke')
const KEY_INFO = utf8('postern direct v1 key')
const NONCE_INFO = utf8('postern direct v1 nonce')

export async function sealDirect(session: GroupSession, toLeaf: number, plaintext: Uint8Array): Promise<Uint8Array> {
  assertMember(session)
  const {
    context: { provider },
    state,
  } = session
  const { hpke, signature } = provider.cipherSuite
  const recipient = leafAt(state, toLeaf)
  if (recipient === undefined)
    throw new MlsError('mls-forbidden', `Leaf ${toLeaf} is empty: nobody is there to write to.`)
  const header = headerOf(state, toLeaf)
  const recipientKey = await hpke.importPublicKey(recipient.hpkePublicKey)
  const { enc, secret } = await hpke.exportSecret(recipientKey, HPKE_CONTEXT, KEY_BYTES, header)
  const signed = concatBytes(header, enc, plaintext)
  const proof = await signWithLabel(state.signaturePrivateKey, SIGNATURE_LABEL, signed, signature)
  const { key, nonce } = await keysOf(provider, state, { header, hpkeSecret: secret })
  const sealed = await hpke.encryptAead(key, nonce, header, padded(proof, plaintext))
  const wire = concatBytes(header, enc, sealed)
  if (wire.length > wireLimits.messageBytesMax) throw new RangeError('the direct message is too large')
  return wire
}

/** Throws an `MlsError` for everything that is not a direct message of this epoch to our leaf. */
export async function openDirect(
  session: GroupSession,
  wire: Uint8Array,
): Promise<{ plaintext: Uint8Array; senderLeaf: number }> {
  assertMember(session)
  const {
    context: { provider },
    state,
  } = session
  const parts = readParts(copyBytes(wire))
  const sender = assertForUs(state, parts)
  try {
    const content = await unsealed(provider, state, parts)
    const { proof, plaintext } = unpadded(content)
    const signed = concatBytes(parts.header, parts.enc, plaintext)
    const { signature } = provider.cipherSuite
    const isGenuine = await verifyWithLabel(sender.signaturePublicKey, SIGNATURE_LABEL, signed, proof, signature)
    if (!isGenuine) throw new MlsError('mls-undecryptable', 'The signature of the direct message is forged.')
    return { plaintext, senderLeaf: parts.fromLeaf }
  } catch (cause) {
    if (cause instanceof MlsError) throw cause
    throw new MlsError('mls-undecryptable', 'The direct message does not decrypt.', { cause })
  }
}

function headerOf({ groupContext, privatePath }: ClientState, toLeaf: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  view.setUint8(0, DIRECT_MARK)
  view.setUint8(1, DIRECT_VERSION)
  header.set(groupContext.groupId, 2)
  view.setBigUint64(EPOCH_AT, groupContext.epoch)
  view.setUint32(FROM_AT, privatePath.leafIndex)
  view.setUint32(TO_AT, toLeaf)
  return header
}

interface Parts {
  header: Uint8Array
  epoch: bigint
  groupId: Uint8Array
  fromLeaf: number
  toLeaf: number
  enc: Uint8Array
  sealed: Uint8Array
}

function readParts(bytes: Uint8Array): Parts {
  const sealedMin = SEALED_AT + CONTENT_MIN_BYTES + TAG_BYTES
  const isOurs = bytes[0] === DIRECT_MARK && bytes[1] === DIRECT_VERSION
  if (!isOurs || bytes.length < sealedMin || bytes.length > wireLimits.messageBytesMax) {
    throw new MlsError('mls-malformed', 'Not a direct message of this protocol.')
  }
  const view = new DataView(bytes.buffer)
  return {
    header: bytes.subarray(0, HEADER_BYTES),
    groupId: bytes.subarray(2, EPOCH_AT),
    epoch: view.getBigUint64(EPOCH_AT),
    fromLeaf: view.getUint32(FROM_AT),
    toLeaf: view.getUint32(TO_AT),
    enc: bytes.subarray(HEADER_BYTES, SEALED_AT),
    sealed: bytes.subarray(SEALED_AT),
  }
}

/** The sender's leaf, if the message is for us and of this epoch. */
function assertForUs(state: ClientState, { groupId, epoch, fromLeaf, toLeaf }: Parts) {
  const ours = state.groupContext
  if (!equalBytes(groupId, ours.groupId)) throw new MlsError('mls-wrong-group', 'The message is for another group.')
  if (epoch !== ours.epoch) {
    throw new MlsError('mls-wrong-epoch', `The message is of epoch ${epoch}, the group in epoch ${ours.epoch}.`)
  }
  if (fromLeaf === state.privatePath.leafIndex) throw new MlsError('mls-own-message', 'We wrote this ourselves.')
  const sender = leafAt(state, fromLeaf)
  if (toLeaf !== state.privatePath.leafIndex || sender === undefined) {
    throw new MlsError('mls-undecryptable', 'The direct message is for another member, or from nobody.')
  }
  return sender
}

/** Both are needed: the leaf's secret, which only the receiver has, and the epoch's, which only members have. */
async function keysOf(
  { cipherSuite }: MlsProvider,
  state: ClientState,
  { header, hpkeSecret }: { header: Uint8Array; hpkeSecret: Uint8Array },
) {
  const { kdf, hpke } = cipherSuite
  const { exporterSecret } = state.keySchedule
  const epochSecret = await mlsExporter(exporterSecret, EXPORTER_LABEL, header, KEY_BYTES, cipherSuite)
  const secret = await kdf.extract(epochSecret, hpkeSecret)
  // The nonce may be derived: every message has an HPKE share of its own, so every message has its own key.
  return {
    key: await kdf.expand(secret, KEY_INFO, hpke.keyLength),
    nonce: await kdf.expand(secret, NONCE_INFO, hpke.nonceLength),
  }
}

async function unsealed(provider: MlsProvider, state: ClientState, { header, enc, sealed, toLeaf }: Parts) {
  const { hpke } = provider.cipherSuite
  const secretKey = state.privatePath.privateKeys[2 * toLeaf]
  if (secretKey === undefined) throw new Error('the secret of our leaf is missing')
  const hpkeKey = await hpke.importPrivateKey(secretKey)
  const hpkeSecret = await hpke.importSecret(hpkeKey, HPKE_CONTEXT, enc, KEY_BYTES, header)
  const { key, nonce } = await keysOf(provider, state, { header, hpkeSecret })
  return hpke.decryptAead(key, nonce, header, sealed)
}
