// The keys of a device and the account's certificate for them: creation, renewal and revocation.
import { type MlsProvider, makeDeviceCertificate } from '@postern/mls'
import { type Clock, clientLimits } from '@postern/protocol'
import { type DeviceCertificate, decodeDeviceCertificate } from '@postern/protocol/relay'

export type Device = {
  deviceSecretKey: Uint8Array
  devicePublicKey: Uint8Array
  certificate: Uint8Array
}

export type CertificateContext = { provider: MlsProvider; clock: Clock; accountSecretKey: Uint8Array }

export const FIRST_SERIAL = 1

export async function makeDevice(certifying: CertificateContext, serial: number): Promise<Device> {
  const { publicKey, secretKey } = await certifying.provider.generateSigningKey()
  return await certify(certifying, { deviceSecretKey: secretKey, devicePublicKey: publicKey }, serial)
}

/** A new certificate for the same keys, with a later end. */
export async function certify(
  { provider, clock, accountSecretKey }: CertificateContext,
  { deviceSecretKey, devicePublicKey }: Omit<Device, 'certificate'>,
  serial: number,
): Promise<Device> {
  const notAfterSec = Math.floor((clock.nowMs() + clientLimits.deviceCertificateLifetimeMs) / 1000)
  const certificate = await makeDeviceCertificate(provider, { accountSecretKey, devicePublicKey, serial, notAfterSec })
  return { deviceSecretKey, devicePublicKey, certificate }
}

/** Undefined if its format is not a current one. */
function certificateOf({ certificate }: Pick<Device, 'certificate'>): DeviceCertificate | undefined {
  try {
    return decodeDeviceCertificate(certificate)
  } catch {
    return undefined
  }
}

/**
 * Above the serial before, and above those of all earlier lives of the account, which a restored database does not know.
 * Contacts that know a device with a higher serial add this one to no group. The random step keeps two copies that start
 * at the same moment apart: one of them must be revoked.
 */
export const laterSerial = (
  { provider, clock }: Pick<CertificateContext, 'provider' | 'clock'>,
  before: number,
): number => Math.max(before, clock.nowMs()) + 1 + (provider.randomBytes(1)[0] ?? 0)

export const serialOf = (device: Pick<Device, 'certificate'>): number => certificateOf(device)?.serial ?? 0

/**
 * Long before its end, or when it has no serial yet. One that seems to last too long is left: this clock may be behind.
 */
export function isDueForRenewal(device: Pick<Device, 'certificate'>, nowMs: number): boolean {
  const { serial = 0, notAfterSec = 0 } = certificateOf(device) ?? {}
  return serial < FIRST_SERIAL || notAfterSec * 1000 - nowMs < clientLimits.deviceCertificateRenewedBelowMs
}
