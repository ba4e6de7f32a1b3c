// Random bytes and pictures: no step can compress them.
import { randomBytes } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import sharp from 'sharp'

const BLOCK_BYTES = 4 * 2 ** 20
/** About 15 MiB, within a few percent: only the signs of the noise differ between runs. */
const photo = { width: 6000, height: 4000, sigma: 30, quality: 93 }

/** The same block repeated: generating all of it would take longer than sending it. */
export async function makeNoise(path: string, bytes: number): Promise<void> {
  const block = randomBytes(BLOCK_BYTES)
  const file = await open(path, 'w')
  for (let at = 0; at < bytes; at += block.length) await file.write(block.subarray(0, bytes - at))
  await file.sync()
  await file.close()
}

/** Its size in MiB. */
export async function makePhoto(path: string): Promise<number> {
  const { width, height, sigma, quality } = photo
  const noise = { type: 'gaussian' as const, mean: 128, sigma }
  await sharp({ create: { width, height, channels: 3, background: 'grey', noise } })
    .jpeg({ quality })
    .toFile(path)
  return (await stat(path)).size / 2 ** 20
}
