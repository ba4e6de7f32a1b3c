// A device certificate: the account's word that a device's key speaks for it until a certain second.

import { utf8 } from '../bytes.ts'
import { type Codec, decodeWith, encodeWith, fixed, struct, u53, Writer } from '../codec.ts'

export type DeviceCertificate = { notAfterSec: number; signature: Uint8Array }

const LABEL = utf8('postern device certificate v1')

const certificate: Codec<DeviceCertificate> = struct({ notAfterSec: u53, signature: fixed(64) })

/** The bytes that the account key signs. */
export function deviceCertificateBytes(deviceKey: Uint8Array, notAfterSec: number): Uint8Array {
  const into = new Writer()
  into.raw(LABEL)
  u53.write(into, notAfterSec)
  into.raw(deviceKey)
  return into.finish()
}

export const encodeDeviceCertificate = (value: DeviceCertificate): Uint8Array => encodeWith(certificate, value)
export const decodeDeviceCertificate = (from: Uint8Array): DeviceCertificate => decodeWith(certificate, from)
