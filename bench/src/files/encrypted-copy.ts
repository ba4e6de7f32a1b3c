// The ceiling of an upload and of a first download: the same bytes through AES-256-GCM in chunks, into one synced file.
import { createCipheriv, randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'

const CHUNK_BYTES = 256 * 1024
const NONCE_BYTES = 12

export async function encryptedCopy(from: string, to: string): Promise<void> {
  const key = randomBytes(32)
  const source = await open(from)
  const target = await open(to, 'w')
  const buffer = Buffer.alloc(CHUNK_BYTES)
  const nonce = Buffer.alloc(NONCE_BYTES)
  for (let chunk = 0; ; chunk++) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES)
    if (bytesRead === 0) break
    nonce.writeUInt32BE(chunk)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const sealed = cipher.update(buffer.subarray(0, bytesRead))
    cipher.final()
    await target.write(sealed)
    await target.write(cipher.getAuthTag())
  }
  await target.sync()
  await source.close()
  await target.close()
}
