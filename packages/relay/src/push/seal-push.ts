// Seals the content of a push for one browser: RFC 8291 with the encoding aes128gcm of RFC 8188, in one record.
import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto'
import { concatBytes, pushLimits } from '@postern/protocol'

/** The keys of a subscription. */
export type PushReader = { p256dh: Uint8Array; auth: Uint8Array }
/** For tests of known values. */
export type SealSecrets = { privateKey: Uint8Array; salt: Uint8Array }

const derive = (
  secret: Uint8Array,
  salt: Uint8Array,
  { info, length }: { info: Uint8Array; length: number },
): Uint8Array => new Uint8Array(hkdfSync('sha256', secret, salt, info, length))
const named = (name: string): Uint8Array => Buffer.from(`${name}\0`)

/** Throws if the key of the subscription is no point on the curve. */
export function sealPush(content: Uint8Array, { p256dh, auth }: PushReader, secrets?: SealSecrets): Buffer {
  const own = createECDH('prime256v1')
  if (secrets) own.setPrivateKey(secrets.privateKey)
  else own.generateKeys()
  const salt = secrets?.salt ?? randomBytes(16)
  const ownPublic = own.getPublicKey()
  const keyInfo = concatBytes(named('WebPush: info'), p256dh, ownPublic)
  const secret = derive(own.computeSecret(p256dh), auth, { info: keyInfo, length: 32 })
  const key = derive(secret, salt, { info: named('Content-Encoding: aes128gcm'), length: 16 })
  const nonce = derive(secret, salt, { info: named('Content-Encoding: nonce'), length: 12 })
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  // 2 ends the last record; zeros may follow.
  const sealed = [cipher.update(content), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()]
  const recordBytes = Buffer.alloc(4)
  recordBytes.writeUInt32BE(pushLimits.bodyBytesMax)
  return Buffer.concat([salt, recordBytes, Buffer.of(ownPublic.length), ownPublic, ...sealed])
}

/** Sizes would tell the push service more than it has to know. JSON may end in spaces. */
export const paddedPush = (json: string): Buffer => {
  const bytes = Buffer.from(json)
  const step = pushLimits.paddingStepBytes
  return Buffer.concat([bytes, Buffer.alloc((step - (bytes.length % step)) % step, ' ')])
}
