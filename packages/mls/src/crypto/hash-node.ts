// Synchronous hashes and HMAC in Node.
import crypto from 'node:crypto'
import { ownBytes } from './key-objects-node.ts'
import { KEY_BYTES } from './provider.ts'

/** Above this createHmac is faster than two one-shot hashes over a copy. */
const SHORT_MESSAGE_BYTES = 2048
const BLOCK_BYTES = 64

export const sha256 = (bytes: Uint8Array): Uint8Array => ownBytes(crypto.hash('sha256', bytes, 'buffer'))
export const sha512 = (bytes: Uint8Array): Uint8Array => ownBytes(crypto.hash('sha512', bytes, 'buffer'))

// Scratch for HMAC: one synchronous call at a time, so one is enough.
const inner = Buffer.alloc(BLOCK_BYTES + SHORT_MESSAGE_BYTES)
const outer = Buffer.alloc(BLOCK_BYTES + KEY_BYTES)

/**
 * HMAC written out (RFC 2104): createHmac costs a key object and a stream per call, 10 µs against 2. The digests are
 * binary strings because a Buffer costs more than the hash.
 */
export function hmac(key: Uint8Array, message: Uint8Array): Uint8Array {
  if (key.length > BLOCK_BYTES || message.length > SHORT_MESSAGE_BYTES) {
    return ownBytes(crypto.createHmac('sha256', crypto.createSecretKey(key)).update(message).digest())
  }
  for (let i = 0; i < BLOCK_BYTES; i++) {
    const byte = key[i] ?? 0
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  inner.set(message, BLOCK_BYTES)
  outer.write(crypto.hash('sha256', inner.subarray(0, BLOCK_BYTES + message.length), 'binary'), BLOCK_BYTES, 'binary')
  const digest = crypto.hash('sha256', outer, 'binary')
  const mac = new Uint8Array(KEY_BYTES)
  for (let i = 0; i < KEY_BYTES; i++) mac[i] = digest.charCodeAt(i)
  return mac
}
