// Key packages: a client leaves them at the relay so that others can add it to groups while it is away.
import { type AccountId, concatBytes, copyBytes, mlsLimits, wireLimits } from '@postern/protocol'
import type { Credential, KeyPackage, PrivateKeyPackage } from 'ts-mls'
import { generateKeyPackageWithKey, makeKeyPackageRef, verifyKeyPackage } from 'ts-mls/keyPackage.js'
import { decodeMlsMessage, encodeMlsMessage } from 'ts-mls/message.js'
import { KEY_BYTES, MLS_SUITE, type SigningKey } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'
import { inspectKeyPackage } from '../wire/inspect.ts'
import { capabilities, SETTINGS_EXTENSION } from './capabilities.ts'
import { accountIdOf, assertFresh, type Member, memberOf, parseCredential } from './credentials.ts'
import type { MlsContext } from './mls-context.ts'

const PRIVATE_FORMAT = 1

/** A key package as its owner stores it. */
export interface StoredKeyPackage {
  publicBytes: Uint8Array
  privateBytes: Uint8Array
}

export interface GeneratedKeyPackage extends StoredKeyPackage {
  /** The name by which a welcome refers to it. */
  reference: Uint8Array
}

export interface LifetimeSec {
  notBeforeSec: number
  notAfterSec: number
}

const unusable = (what: string, cause?: unknown) =>
  new MlsError('mls-bad-key-package', `The key package cannot be used: ${what}.`, { cause })

export async function generateKeyPackage(
  { provider }: MlsContext,
  owner: { credential: Credential; deviceKey: SigningKey; lifetime: LifetimeSec },
): Promise<GeneratedKeyPackage> {
  const { publicPackage, privatePackage } = await generateKeyPackageWithKey(
    owner.credential,
    capabilities,
    { notBefore: BigInt(owner.lifetime.notBeforeSec), notAfter: BigInt(owner.lifetime.notAfterSec) },
    [],
    { publicKey: owner.deviceKey.publicKey, signKey: owner.deviceKey.secretKey },
    provider.cipherSuite,
  )
  return {
    publicBytes: encodeMlsMessage({ version: 'mls10', wireformat: 'mls_key_package', keyPackage: publicPackage }),
    privateBytes: encodePrivate(privatePackage),
    reference: await makeKeyPackageRef(publicPackage, provider.cipherSuite.hash),
  }
}

function encodePrivate(keys: PrivateKeyPackage): Uint8Array {
  const { initPrivateKey, hpkePrivateKey, signaturePrivateKey } = keys
  return concatBytes(Uint8Array.of(PRIVATE_FORMAT), initPrivateKey, hpkePrivateKey, signaturePrivateKey)
}

export function decodePrivate(bytes: Uint8Array): PrivateKeyPackage {
  if (bytes.length !== 1 + 3 * KEY_BYTES || bytes[0] !== PRIVATE_FORMAT) throw unusable('its stored keys are damaged')
  const keyAt = (position: number) =>
    copyBytes(bytes.subarray(1 + position * KEY_BYTES, 1 + (position + 1) * KEY_BYTES))
  return { initPrivateKey: keyAt(0), hpkePrivateKey: keyAt(1), signaturePrivateKey: keyAt(2) }
}

/** The package itself; nothing is verified yet. */
export function decodeKeyPackage(bytes: Uint8Array): KeyPackage {
  if (bytes.length > wireLimits.keyPackageBytesMax) throw unusable('it is too large')
  let decoded: ReturnType<typeof decodeMlsMessage>
  try {
    inspectKeyPackage(bytes)
    decoded = decodeMlsMessage(copyBytes(bytes), 0)
  } catch (cause) {
    throw unusable('it does not decode', cause)
  }
  if (decoded === undefined || decoded[1] !== bytes.length || decoded[0].wireformat !== 'mls_key_package') {
    throw unusable('it does not decode')
  }
  return decoded[0].keyPackage
}

/** The claimed owner. Adding the package proves the claim. */
export function ownerOf({ provider }: MlsContext, { leafNode }: KeyPackage): AccountId {
  const parsed = parseCredential(leafNode.credential)
  if (parsed === undefined) throw unusable('its credential is not one of ours')
  return accountIdOf(provider, parsed.accountPublicKey)
}

/** The device for which it claims to be made. A commit that adds it proves the claim. */
export const deviceOf = ({ provider }: MlsContext, bytes: Uint8Array): Member =>
  memberOf(provider, decodeKeyPackage(bytes).leafNode)

/** Checks that all members make alike, at any time: is it a package that our clients make? */
export function assertWellMade({ cipherSuite, leafNode }: KeyPackage): void {
  const { leafNodeSource, lifetime, credential, capabilities } = leafNode
  if (cipherSuite !== MLS_SUITE) throw unusable('it is for another cipher suite')
  if (leafNodeSource !== 'key_package') throw unusable('its leaf is not one of a key package')
  if (lifetime.notAfter < lifetime.notBefore) throw unusable('it ends before it begins')
  if (lifetime.notAfter - lifetime.notBefore > BigInt(mlsLimits.keyPackageLifetimeSecMax))
    throw unusable('it is made to last too long')
  if (!capabilities.extensions.includes(SETTINGS_EXTENSION)) throw unusable('its owner does not know our settings')
  if (parseCredential(credential) === undefined) throw unusable('its credential is not one of ours')
}

/** An additional check for the member that adds it: is it still valid? */
export function assertAddable(keyPackage: KeyPackage, nowSec: number): void {
  assertWellMade(keyPackage)
  const { lifetime, credential } = keyPackage.leafNode
  if (lifetime.notBefore > BigInt(nowSec) || lifetime.notAfter < BigInt(nowSec)) throw unusable('it is out of date')
  try {
    assertFresh(credential, nowSec)
  } catch (cause) {
    throw unusable('the certificate of its device has expired', cause)
  }
}

/** Checks signatures and credential: finds the one bad package after a commit of many was refused. */
export async function assertGenuine({ provider, config }: MlsContext, keyPackage: KeyPackage): Promise<void> {
  const { credential, signaturePublicKey } = keyPackage.leafNode
  if (!(await config.authService.validateCredential(credential, signaturePublicKey))) {
    throw unusable('its credential is forged')
  }
  if (!(await verifyKeyPackage(keyPackage, provider.cipherSuite.signature))) throw unusable('its signature is forged')
}

/** Whether it belongs to the account, is valid now, and can be added. */
export async function isUsable(context: MlsContext, account: AccountId, bytes: Uint8Array): Promise<boolean> {
  try {
    const keyPackage = decodeKeyPackage(bytes)
    assertAddable(keyPackage, context.nowSec())
    await assertGenuine(context, keyPackage)
    return ownerOf(context, keyPackage) === account
  } catch (error) {
    if (error instanceof MlsError) return false
    throw error
  }
}
