// The keys of a device and the account's certificate for them: made, renewed, and followed by others when they are revoked.
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

/** A longer word for the same keys. */
export async function certify(
  { provider, clock, accountSecretKey }: CertificateContext,
  { deviceSecretKey, devicePublicKey }: Omit<Device, 'certificate'>,
  serial: number,
): Promise<Device> {
  const notAfterSec = Math.floor((clock.nowMs() + clientLimits.deviceCertificateLifetimeMs) / 1000)
  const certificate = await makeDeviceCertificate(provider, { accountSecretKey, devicePublicKey, serial, notAfterSec })
  return { deviceSecretKey, devicePublicKey, certificate }
}

/** Undefined when it is none that is made today. */
function certificateOf({ certificate }: Pick<Device, 'certificate'>): DeviceCertificate | undefined {
  try {
    return decodeDeviceCertificate(certificate)
  } catch {
    return undefined
  }
}

export const serialOf = (device: Pick<Device, 'certificate'>): number => certificateOf(device)?.serial ?? 0

/** Long before its end, or when it has no serial yet. One that seems to last too long is left: it may be the clock that is behind. */
export function isDueForRenewal(device: Pick<Device, 'certificate'>, nowMs: number): boolean {
  const { serial = 0, notAfterSec = 0 } = certificateOf(device) ?? {}
  return serial < FIRST_SERIAL || notAfterSec * 1000 - nowMs < clientLimits.deviceCertificateRenewedBelowMs
}
