// The identity on a leaf: the MLS credential carries the account's key and its certificate for the device's key.
import { type AccountId, accountIdFromHash, concatBytes } from '@postern/protocol'
import {
  CERTIFICATE_BYTES,
  type DeviceCertificate,
  decodeDeviceCertificate,
  deviceCertificateBytes,
  encodeDeviceCertificate,
} from '@postern/protocol/relay'
import type { AuthenticationService, ClientState, Credential } from 'ts-mls'
import { KEY_BYTES, type MlsProvider } from '../crypto/provider.ts'
import { MlsError } from '../mls-error.ts'

const CREDENTIAL_VERSION = 1
/** Version, account key, and the certificate. Leaves from before certificates had serials are shorter. */
const CREDENTIAL_BYTES_MAX = 1 + KEY_BYTES + CERTIFICATE_BYTES

export interface Member {
  accountId: AccountId
  accountPublicKey: Uint8Array
  devicePublicKey: Uint8Array
  /** From its certificate. */
  serial: number
  notAfterSec: number
}

/** Leaf index to member. One account has one leaf. */
export type Roster = ReadonlyMap<number, Member>

export interface ParsedCredential {
  accountPublicKey: Uint8Array
  certificate: DeviceCertificate
}

export function accountIdOf(provider: MlsProvider, accountPublicKey: Uint8Array): AccountId {
  return accountIdFromHash(provider.sha256(accountPublicKey))
}

export async function makeDeviceCertificate(
  provider: MlsProvider,
  device: { accountSecretKey: Uint8Array; devicePublicKey: Uint8Array; serial: number; notAfterSec: number },
): Promise<Uint8Array> {
  const { accountSecretKey, devicePublicKey: deviceKey, serial, notAfterSec } = device
  const signed = deviceCertificateBytes({ deviceKey, serial, notAfterSec })
  return encodeDeviceCertificate({ serial, notAfterSec, signature: await provider.sign(accountSecretKey, signed) })
}

export function credentialOf(accountPublicKey: Uint8Array, certificate: Uint8Array): Credential {
  const identity = concatBytes(Uint8Array.of(CREDENTIAL_VERSION), accountPublicKey, certificate)
  const credential: Credential = { credentialType: 'basic', identity }
  if (!parseCredential(credential)) throw new RangeError('the account key or the certificate has a wrong size')
  return credential
}

/** Undefined for a credential that is not ours. Does not check the signature: that is the service's part. */
export function parseCredential(credential: Credential): ParsedCredential | undefined {
  if (credential.credentialType !== 'basic' || !('identity' in credential)) return undefined
  const identity = credential.identity.slice()
  if (identity.length > CREDENTIAL_BYTES_MAX || identity[0] !== CREDENTIAL_VERSION) return undefined
  try {
    const certificate = decodeDeviceCertificate(identity.subarray(1 + KEY_BYTES))
    return { accountPublicKey: identity.subarray(1, 1 + KEY_BYTES), certificate }
  } catch {
    return undefined
  }
}

/**
 * ts-mls asks this for every leaf that joins, updates or commits: did the account certify this device key? Expiry is
 * not checked here. All members must judge a commit alike, whenever they read it: a member that was away for weeks
 * would refuse what the others accepted and fall out of the group. The member that adds another checks expiry:
 * `assertFresh`.
 */
export function makeAuthenticationService(provider: MlsProvider): AuthenticationService {
  return {
    async validateCredential(credential, devicePublicKey) {
      const parsed = parseCredential(credential)
      if (parsed === undefined || devicePublicKey.length !== KEY_BYTES) return false
      const { certificate, accountPublicKey } = parsed
      const signed = deviceCertificateBytes({ ...certificate, deviceKey: devicePublicKey })
      return provider.verify(accountPublicKey, signed, certificate.signature)
    },
  }
}

export function assertFresh(credential: Credential, nowSec: number): void {
  const notAfterSec = parseCredential(credential)?.certificate.notAfterSec ?? 0
  if (notAfterSec < nowSec) throw new MlsError('mls-bad-credential', 'The device certificate has expired.')
}

type Leaf = { credential: Credential; signaturePublicKey: Uint8Array }
// Trees and leaves are never changed in place, so cached values stay true.
const rosters = new WeakMap<object, Roster>()
const members = new WeakMap<object, Member>()

/** Everybody in the group, by leaf. Throws if a leaf's credential is not ours or an account is there twice. */
export function roster(provider: MlsProvider, state: Pick<ClientState, 'ratchetTree'>): Roster {
  const kept = rosters.get(state.ratchetTree)
  if (kept !== undefined) return kept
  const byLeaf = new Map<number, Member>()
  const seen = new Set<string>()
  for (const [index, node] of state.ratchetTree.entries()) {
    if (node?.nodeType !== 'leaf') continue
    const member = memberOf(provider, node.leaf)
    if (seen.has(member.accountId)) {
      throw new MlsError('mls-duplicate-account', `The account ${member.accountId} is on two leaves.`)
    }
    seen.add(member.accountId)
    byLeaf.set(index / 2, member)
  }
  rosters.set(state.ratchetTree, byLeaf)
  return byLeaf
}

/** The account that a leaf claims to be. The authentication service checks whether its certificate is genuine. */
export function memberOf(provider: MlsProvider, leaf: Leaf): Member {
  const kept = members.get(leaf)
  if (kept !== undefined) return kept
  const parsed = parseCredential(leaf.credential)
  if (parsed === undefined) throw new MlsError('mls-bad-credential', 'A leaf carries no credential of ours.')
  const { accountPublicKey, certificate } = parsed
  const accountId = accountIdOf(provider, accountPublicKey)
  const devicePublicKey = leaf.signaturePublicKey.slice()
  const { serial, notAfterSec } = certificate
  const member = { accountId, accountPublicKey, devicePublicKey, serial, notAfterSec }
  members.set(leaf, member)
  return member
}

/**
 * A leaf keeps its account across a commit unless the commit removed it: a member must not turn into another. And no
 * account returns to a device that it has revoked: judged by the two trees alone, so that all members judge alike.
 */
export function assertContinuity(before: Roster, after: Roster, removedLeaves: Iterable<number>): void {
  const removed = new Set(removedLeaves)
  for (const [leaf, { accountId }] of before) {
    if (removed.has(leaf) || after.get(leaf)?.accountId === accountId) continue
    throw new MlsError('mls-bad-credential', `Leaf ${leaf} no longer belongs to account ${accountId}.`)
  }
  const serials = new Map([...before.values()].map(({ accountId, serial }) => [accountId, serial]))
  for (const { accountId, serial } of after.values())
    if (serial < (serials.get(accountId) ?? 0))
      throw new MlsError('mls-bad-credential', `The account ${accountId} has revoked that device.`)
}

export function leafOf(members: Roster, accountId: AccountId): number | undefined {
  for (const [leaf, member] of members) if (member.accountId === accountId) return leaf
  return undefined
}
