// The own leaf of a group under another credential: how a renewed certificate, or a new device, gets into an existing group.
import { equalBytes, utf8 } from '@postern/protocol'
import type { Capabilities, CiphersuiteImpl, ClientState, Credential, LeafNode } from 'ts-mls'
import type { SigningKey } from '../crypto/provider.ts'

/** This device, as its account currently certifies it. */
export interface DeviceIdentity {
  credential: Credential
  deviceKey: SigningKey
}

/** The source of a commit: the state, and the primitives that sign for it. */
interface Committing {
  state: ClientState
  cipherSuite: CiphersuiteImpl
}

/** Undefined when the leaf already shows the device. */
export function committingAs({ state, cipherSuite }: Committing, own: DeviceIdentity): Committing | undefined {
  const { credential } = own
  if (sameIdentity(ownLeafNode(state).credential, credential)) return undefined
  const { publicKey, secretKey } = own.deviceKey
  const shown = withOwnLeaf(state, { credential, signaturePublicKey: publicKey.slice() })
  return {
    state: { ...shown, signaturePrivateKey: secretKey.slice() },
    cipherSuite: signingCommitsBy(cipherSuite, state.signaturePrivateKey),
  }
}

/** Only for a commit with a path: ts-mls copies the capabilities of the previous leaf to the new one. */
export const committingWith = ({ state, cipherSuite }: Committing, capabilities?: Capabilities): Committing =>
  capabilities === undefined ? { state, cipherSuite } : { state: withOwnLeaf(state, { capabilities }), cipherSuite }

function ownLeafNode({ ratchetTree, privatePath }: ClientState): LeafNode {
  const node = ratchetTree[2 * privatePath.leafIndex]
  if (node?.nodeType !== 'leaf') throw new Error('no leaf')
  return node.leaf
}

function withOwnLeaf(state: ClientState, change: Partial<LeafNode>): ClientState {
  const ratchetTree = state.ratchetTree.slice()
  const leaf = { ...ownLeafNode(state), ...change } as LeafNode
  ratchetTree[2 * state.privatePath.leafIndex] = { nodeType: 'leaf', leaf }
  return { ...state, ratchetTree }
}

const identityIn = (credential: Credential): Uint8Array =>
  'identity' in credential ? credential.identity : new Uint8Array(0)
const sameIdentity = (one: Credential, other: Credential): boolean => equalBytes(identityIn(one), identityIn(other))

/** The length of the label, then the label: the beginning of signed bytes by RFC 9420 §5.1.2. */
const LABEL = utf8('MLS 1.0 FramedContentTBS')
const COMMIT_PREFIX = Uint8Array.of(LABEL.length, ...LABEL)

/** The others verify a commit by the previous leaf; only the new leaf and the welcome are signed by the new key. */
function signingCommitsBy(cipherSuite: CiphersuiteImpl, keyBefore: Uint8Array): CiphersuiteImpl {
  const { signature } = cipherSuite
  const sign: typeof signature.sign = (key, message) => {
    const isCommit = equalBytes(message.subarray(0, COMMIT_PREFIX.length), COMMIT_PREFIX)
    return signature.sign(isCommit ? keyBefore : key, message)
  }
  return { ...cipherSuite, signature: { ...signature, sign } }
}
