// Seals the key of a database under a passphrase. A guess costs as much as one at a recovery file.
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { recoveryLimits, utf8 } from '@postern/protocol'

const SALT_BYTES = 16
const NONCE_BYTES = 12
const KEY_BYTES = 32

export type LockedKey = {
  salt: Uint8Array<ArrayBuffer>
  costLog2: number
  nonce: Uint8Array<ArrayBuffer>
  sealed: ArrayBuffer
}

/** `costLog2`: only tests use less. */
export async function lockKey(
  key: Uint8Array,
  passphrase: string,
  costLog2: number = recoveryLimits.costLog2,
): Promise<LockedKey> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const by = await derive(passphrase, { salt, costLog2 })
  return { salt, costLog2, nonce, sealed: await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, by, key.slice()) }
}

/** Undefined for another passphrase. */
export async function unlockKey(locked: LockedKey, passphrase: string): Promise<Uint8Array | undefined> {
  const by = await derive(passphrase, locked)
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv: locked.nonce }, by, locked.sealed))
  } catch {
    return undefined
  }
}

/** Keyboards write the same letter in different ways: composed, or as a letter and a mark. */
async function derive(
  passphrase: string,
  { salt, costLog2 }: Pick<LockedKey, 'salt' | 'costLog2'>,
): Promise<CryptoKey> {
  const derived = await scryptAsync(utf8(passphrase.normalize('NFKC')), salt, {
    N: 2 ** costLog2,
    r: recoveryLimits.costBlockSize,
    p: 1,
    dkLen: KEY_BYTES,
    // The library's own limit is a little below ours.
    maxmem: 2 ** (recoveryLimits.costLog2Max + 11),
  })
  return await crypto.subtle.importKey('raw', new Uint8Array(derived), 'AES-GCM', false, ['encrypt', 'decrypt'])
}
