// Who is at the other end: a device proves its key, and its certificate proves that it speaks for the account.
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
/** `signal`: its connection is closed. */
type Newcomer = Proof & { address: string; signal: AbortSignal }

/** Who it is that has proved it, by the nonce that its connection was given. */
export function checkProof(parts: RelayContext, proof: Proof, nonce: Uint8Array): DeviceClaim {
  checkAudience(parts, proof.audience)
  const { serial } = checkedCertificate(proof, parts.clock.nowMs())
  if (!verifies(proof.deviceKey, authenticationBytes({ ...proof, nonce }), proof.signature))
    throw new CodedError('unauthenticated', { why: 'the signature does not verify' })
  const account = accountIdFromHash(createHash('sha256').update(proof.accountKey).digest())
  // Of this account alone: a thief of the key could certify it for its own account, and put the owner out as the newer one.
  return { account, device: `${account}.${toBase64Url(proof.deviceKey)}`, serial }
}

/** Of who has proved it: its account lets it in so far. */
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
  await checkSerial(parts, account, { serial, highest: stored.serial })
  noteSeen(parts, account, stored)
  const { cursor, mark, keyPackages } = stored
  return { account, cursor, mark, keyPackages, nowMs, incarnation: store.incarnation }
}

/** Only of who has proved its key: else anybody could lift the serial and lock the account out. */
async function checkSerial({ store }: RelayContext, account: AccountId, shown: Serials): Promise<void> {
  // At nearly every login nothing is new, and nothing has to be written.
  const highest = shown.serial > shown.highest ? await store.raiseSerial(account, shown.serial) : shown.highest
  if (shown.serial < highest) throw revokedRefusal(highest)
}

type Serials = { serial: number; highest: number }

/** A proof made for another host is somebody passing on what was meant for them. */
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

/** By the account's key, over this connection's challenge. A device's key, stolen or revoked, deletes nothing. */
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
    // Bytes that are no key at all.
    return false
  }
}
