// Random bytes in Node. A call to the system's generator costs as much for four bytes as for two thousand.
import crypto from 'node:crypto'
import { mlsLimits } from '@postern/protocol'
import { ownBytes } from './key-objects-node.ts'

const POOL_BYTES = 2048

export function makeRandomBytes(): (count: number) => Uint8Array {
  const pool = new Uint8Array(POOL_BYTES)
  let at = POOL_BYTES
  return count => {
    if (count > mlsLimits.pooledRandomBytesMax) return ownBytes(crypto.randomFillSync(Buffer.allocUnsafeSlow(count)))
    if (at + count > POOL_BYTES) {
      crypto.randomFillSync(pool)
      at = 0
    }
    const bytes = pool.slice(at, at + count)
    // Handed out once: a second read of these bytes would return zeros, and reveal nothing that another caller got.
    pool.fill(0, at, at + count)
    at += count
    return bytes
  }
}
