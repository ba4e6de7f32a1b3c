// Mutates the bytes of a frame: randomly, and with knowledge of its structure.
import type { SeededRandom } from '@postern/testkit'

const lengths = [0, 1, 0x7fff_ffff, 0xffff_ffff, 4096, 2 ** 20, 2 ** 22 + 1]
const tags = [0, 1, 64, 128, 129, 130, 131, 255]

export function bentBytes(right: Uint8Array, random: SeededRandom): Uint8Array {
  const bytes = Buffer.from(right)
  const at = random.below(bytes.length)
  switch (random.below(10)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes, bytes.subarray(at)])
    case 2:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.alloc(random.below(64), random.below(256)),
        bytes.subarray(at),
      ])
    case 3:
      bytes[0] = random.below(256)
      return bytes
    case 4:
      bytes[1] = random.below(2) === 0 ? random.of(tags) : random.below(16)
      return bytes
    // A length that exceeds the bytes that follow.
    case 5:
    case 6:
      if (bytes.length >= 8) bytes.writeUInt32BE(random.of(lengths), 2 + random.below(bytes.length - 5))
      return bytes
    default:
      for (let flips = random.below(4); flips >= 0; flips--) bytes[random.below(bytes.length)] = random.below(256)
      return bytes
  }
}
