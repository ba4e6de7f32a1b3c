// A small square picture out of whatever was uploaded: JPEG, PNG or WebP by its bytes, upright, without its metadata.
import { CodedError, contentLimits, gatewayLimits } from '@postern/protocol'
import type { Sharp, SharpConstructor, SharpOptions } from 'sharp'

const signatures: readonly ((bytes: Uint8Array) => boolean)[] = [
  bytes => startsWith(bytes, [0xff, 0xd8, 0xff]),
  bytes => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  bytes => startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
]

const startsWith = (bytes: Uint8Array, start: number[]): boolean => start.every((byte, at) => bytes[at] === byte)

const pictureFault = (rule: string, cause?: unknown): CodedError =>
  new CodedError('bad-field', { field: 'picture', rule }, { cause })

const tooManyPixels = `at most ${gatewayLimits.avatarPixelsMax / 1_000_000} megapixels are allowed`

/** A picture of noise at the lowest quality still fits. */
const qualities = [82, 65, 45, 25, 10, 1]

export async function makeAvatar(bytes: Uint8Array): Promise<Uint8Array> {
  if (!signatures.some(isOne => isOne(bytes))) throw pictureFault('a JPEG, PNG or WebP file is required')
  try {
    return await shrink(bytes)
  } catch (error) {
    if (error instanceof CodedError) throw error
    const isTooLarge = error instanceof Error && /pixel limit/i.test(error.message)
    throw pictureFault(isTooLarge ? tooManyPixels : 'the file is damaged, or too much work', error)
  }
}

async function shrink(bytes: Uint8Array): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const options: SharpOptions = { limitInputPixels: gatewayLimits.avatarPixelsMax, failOn: 'error' }
  const open = (): Sharp => sharp(bytes, options).timeout({ seconds: gatewayLimits.avatarWithinSec })
  const { autoOrient } = await open().metadata()
  const side = Math.min(autoOrient.width, autoOrient.height, gatewayLimits.avatarSidePixelsMax)
  // Decoded once: what is tried again at a lower quality is small.
  const { data, info } = await open()
    .autoOrient()
    .resize(side, side, { fit: 'cover' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  for (const quality of qualities) {
    const small = await sharp(data, { raw }).webp({ quality }).toBuffer()
    if (small.length <= contentLimits.avatarBytesMax) return small
  }
  throw new CodedError('internal')
}

let loaded: Promise<SharpConstructor> | undefined

/** At the first picture: most gateways never see one, and the library takes time and memory. */
async function loadSharp(): Promise<SharpConstructor> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    // Every other reader stays locked: each is code that strangers' bytes would run through.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
    })
    sharp.cache(false)
    sharp.concurrency(1)
    return sharp
  })
  return await loaded
}
