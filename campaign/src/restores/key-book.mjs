// Loaded before a client: records a hash of every MLS key that encrypts something, in all lives of the client.
import crypto from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const path = process.env['CAMPAIGN_KEY_FILE'] ?? ''
/** A client that is killed before it stores and sends a ciphertext has not used the key for anybody. */
const USED_AFTER_MS = 500
/** Keys of MLS. A profile is encrypted under one longer key each time, with another nonce. */
const MLS_KEY_BYTES = 16

const { createCipheriv } = crypto
crypto.createCipheriv = (...given) => {
  const [, key] = given
  const bytes = key instanceof crypto.KeyObject ? key.export() : key
  if (bytes.length === MLS_KEY_BYTES) note(crypto.createHash('sha256').update(bytes).digest('hex'))
  return createCipheriv(...given)
}
syncBuiltinESMExports()

function note(hash) {
  setTimeout(() => appendFileSync(path, `${hash}\n`), USED_AFTER_MS).unref()
}
