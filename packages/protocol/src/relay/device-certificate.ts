// A device certificate: the account's statement that a device key speaks for it, until it expires or a newer one replaces it.
import { utf8 } from '../bytes.ts'
import { type Codec, decodeWith, encodeWith, fixed, struct, u53, Writer } from '../codec.ts'
import { CodedError } from '../errors.ts'

/**
 * `serial` only rises: a certificate with a lower serial than one seen of the account is revoked. 0 is from before
 * serials existed.
 */
export type DeviceCertificate = { serial: number; notAfterSec: number; signature: Uint8Array }

/** The part of a certificate that an account signs. */
export type CertifiedDevice = { deviceKey: Uint8Array } & Omit<DeviceCertificate, 'signature'>

const LABEL_UNNUMBERED = utf8('postern device certificate v1')
const LABEL = utf8('postern device certificate v2')

const unnumbered: Codec<Omit<DeviceCertificate, 'serial'>> = struct({ notAfterSec: u53, signature: fixed(64) })
const numbered: Codec<DeviceCertificate> = struct({ serial: u53, notAfterSec: u53, signature: fixed(64) })

const UNNUMBERED_BYTES = 72
export const CERTIFICATE_BYTES = 80

/** The bytes that the account key signs. */
export function deviceCertificateBytes({ deviceKey, serial, notAfterSec }: CertifiedDevice): Uint8Array {
  const into = new Writer()
  into.raw(serial === 0 ? LABEL_UNNUMBERED : LABEL)
  if (serial !== 0) u53.write(into, serial)
  u53.write(into, notAfterSec)
  into.raw(deviceKey)
  return into.finish()
}

export const encodeDeviceCertificate = (value: DeviceCertificate): Uint8Array =>
  value.serial === 0 ? encodeWith(unnumbered, value) : encodeWith(numbered, value)

export function decodeDeviceCertificate(from: Uint8Array): DeviceCertificate {
  if (from.length === UNNUMBERED_BYTES) return { serial: 0, ...decodeWith(unnumbered, from) }
  const certificate = decodeWith(numbered, from)
  if (certificate.serial === 0) throw new CodedError('frame-malformed', { what: 'the serial of a certificate is 0' })
  return certificate
}
