// Authenticates a peer: a device proves its key, and its certificate proves that it acts for the account.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { type AccountId, accountIdFromHash, CodedError, toBase64Url } from '@postern/protocol'
import {
  authenticationBytes,
  type CallAnswer,
  type CallRequest,
  type DeviceCertificate,
  decodeDeviceCertificate,
  deletionBytes,
  deviceCertificateBytes,
} from '@postern/protocol/relay'
import { noteSeen } from '../accounts/note-seen.ts'
import { register } from '../accounts/register.ts'
import type { RelayContext } from '../context.ts'
import { type DeviceClaim, revokedRefusal } from '../store/fence.ts'

type Proof = CallRequest<'authenticate'>
/** `signal`: aborted when the connection closes. */
type Newcomer = Proof & { address: string; signal: AbortSignal }

/** Verifies the proof against the connection's nonce. Returns the device that made it. */
export function checkProof(parts: RelayContext, proof: Proof, nonce: Uint8Array): DeviceClaim {
  checkAudience(parts, proof.audience)
  const { serial } = checkedCertificate(proof, parts.clock.nowMs())
  if (!verifies(proof.deviceKey, authenticationBytes({ ...proof, nonce }), proof.signature))
    throw new CodedError('unauthenticated', { why: 'the signature does not verify' })
  const account = accountIdFromHash(createHash('sha256').update(proof.accountKey).digest())
  // Includes the account:
  // a thief of the key could certify it for another account and disconnect the owner as the newer one.
  return { account, device: `${account}.${toBase64Url(proof.deviceKey)}`, serial }
}

/** Admits a device that has proved its key, if its account allows it. */
export async function authenticate(
  parts: RelayContext,
  { account, serial }: DeviceClaim,
  newcomer: Newcomer,
): Promise<CallAnswer<'authenticate'>> {
  const { store, clock } = parts
  const nowMs = clock.nowMs()
  if (newcomer.intent === 'register') await register(parts, account, newcomer)
  const stored = await store.getAccount(account, newcomer.signal)
  if (!stored) throw new CodedError('account-unknown')
  parts.bans.assertAllowed(account)
  await checkSerial(parts, account, { serial, highest: stored.serial, signal: newcomer.signal })
  noteSeen(parts, account, stored)
  const { cursor, mark, keyPackages } = stored
  return { account, cursor, mark, keyPackages, nowMs, incarnation: store.incarnation }
}

/** Only after the proof of the key: otherwise anyone could raise the serial and lock the account out. */
async function checkSerial({ store }: RelayContext, account: AccountId, shown: Serials): Promise<void> {
  // Nearly every login shows a known serial, so nothing is written.
  const isNew = shown.serial > shown.highest
  const highest = isNew ? await store.raiseSerial(account, shown.serial, shown.signal) : shown.highest
  if (shown.serial < highest) throw revokedRefusal(highest)
}

type Serials = { serial: number; highest: number; signal: AbortSignal }

/** A proof made for another host was forwarded by a third party. */
function checkAudience(parts: RelayContext, audience: string): void {
  if (parts.audience.accepts(audience)) return
  const why = `it was made for the host ${JSON.stringify(audience)}, which is not a host of this relay. Its operator sets them with --public-host`
  throw new CodedError('unauthenticated', { why })
}

function checkedCertificate({ accountKey, deviceKey, certificate: encoded }: Proof, nowMs: number): DeviceCertificate {
  const certificate = decodeDeviceCertificate(encoded)
  if (!verifies(accountKey, deviceCertificateBytes({ ...certificate, deviceKey }), certificate.signature))
    throw new CodedError('bad-certificate', { why: 'the account key did not sign it' })
  if (certificate.notAfterSec * 1000 <= nowMs) throw new CodedError('bad-certificate', { why: 'it has expired' })
  return certificate
}

/**
 * Requires the account key's signature over this connection's challenge.
 * A stolen or revoked device key cannot delete anything.
 */
export function checkDeletion(proof: DeletionProof): void {
  const { accountKey, signature } = proof
  if (!verifies(accountKey, deletionBytes(proof), signature))
    throw new CodedError('unauthenticated', { why: 'the account key did not sign the deletion' })
}

export type DeletionProof = { accountKey: Uint8Array; audience: string; nonce: Uint8Array; signature: Uint8Array }

function verifies(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) }
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  } catch {
    // The bytes are not a key.
    return false
  }
}
