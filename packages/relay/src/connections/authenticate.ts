// Who is at the other end: a device proves its key, and its certificate proves that it speaks for the account.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { type AccountId, accountIdFromHash, CodedError, toBase64Url } from '@postern/protocol'
import {
  authenticationBytes,
  type CallAnswer,
  type CallRequest,
  type DeviceCertificate,
  decodeDeviceCertificate,
  deviceCertificateBytes,
} from '@postern/protocol/relay'
import type { RelayParts } from '../relay-parts.ts'

type Proof = CallRequest<'authenticate'>
/** The nonce that this connection was given, and the host that its request was sent to. */
export type Challenge = { nonce: Uint8Array; host: string }

export async function authenticate(
  parts: RelayParts,
  proof: Proof,
  challenge: Challenge,
): Promise<CallAnswer<'authenticate'>> {
  const { store, clock } = parts
  const nowMs = clock.nowMs()
  checkAudience(parts, proof.audience, challenge.host)
  const { serial } = checkedCertificate(proof, nowMs)
  if (!verifies(proof.deviceKey, authenticationBytes({ ...proof, nonce: challenge.nonce }), proof.signature))
    throw new CodedError('unauthenticated', { why: 'the signature does not verify' })
  const account = accountIdFromHash(createHash('sha256').update(proof.accountKey).digest())
  if (proof.intent === 'register') await register(parts, account, proof.accountKey)
  const stored = await store.getAccount(account)
  if (!stored) throw new CodedError('account-unknown')
  await checkSerial(parts, account, { serial, highest: stored.serial })
  const { cursor, mark, keyPackages } = stored
  return { account, cursor, mark, keyPackages, nowMs }
}

/** Only of who has proved its key: else anybody could lift the serial and lock the account out. */
async function checkSerial({ store }: RelayParts, account: AccountId, shown: Serials): Promise<void> {
  // At nearly every login nothing is new, and nothing has to be written.
  const highest = shown.serial > shown.highest ? await store.raiseSerial(account, shown.serial) : shown.highest
  if (shown.serial < highest)
    throw new CodedError('bad-certificate', { why: 'it was revoked by a newer one', serial: highest })
}

type Serials = { serial: number; highest: number }

async function register(parts: RelayParts, account: AccountId, accountKey: Uint8Array): Promise<void> {
  const { store, rates, limits, clock } = parts
  if (await store.getAccount(account)) return
  rates.charge('register', { count: 1, max: limits.registrationsPerMinute, what: 'registrations' })
  await store.registerAccount(account, { accountKey, nowMs: clock.nowMs() })
}

/** A proof made for another host is somebody passing on what was meant for them. */
function checkAudience({ publicHosts }: RelayParts, audience: string, host: string): void {
  if (audience === host.toLowerCase() || publicHosts.includes(audience)) return
  const why =
    'it was made for another host than the request names; a proxy in front of the relay has to pass the Host header through'
  throw new CodedError('unauthenticated', { why })
}

function checkedCertificate({ accountKey, deviceKey, certificate: encoded }: Proof, nowMs: number): DeviceCertificate {
  const certificate = decodeDeviceCertificate(encoded)
  if (!verifies(accountKey, deviceCertificateBytes({ ...certificate, deviceKey }), certificate.signature))
    throw new CodedError('bad-certificate', { why: 'the account key did not sign it' })
  if (certificate.notAfterSec * 1000 <= nowMs) throw new CodedError('bad-certificate', { why: 'it has expired' })
  return certificate
}

function verifies(publicKey: Uint8Array, signed: Uint8Array, signature: Uint8Array): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: toBase64Url(publicKey) }
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  } catch {
    // Bytes that are no key at all.
    return false
  }
}
