// Decodes a picture to a few upright pixels. A hostile or damaged picture is refused with a rule, at little cost.
import { contentLimits, gatewayLimits, readPictureHead } from '@postern/protocol'
import type { Metadata, Raw, Sharp, SharpConstructor } from 'sharp'
import { loadSharp } from './picture-library.ts'
import { sniff } from './sniff.ts'

export type ShrinkOptions = { sidePixelsMax: number; shape: 'as-it-is' | 'square' }

export type ShrinkResult =
  /** Width and height are those of the upright original. */
  { kind: 'shrunk'; width: number; height: number; pixels: Sharp } | { kind: 'refused'; rule: string }

export async function shrinkPicture(bytes: Uint8Array, shrinking: ShrinkOptions): Promise<ShrinkResult> {
  if (sniff(bytes)?.kind !== 'photo') return refused('must be a JPEG, PNG or WebP file')
  // Before the library is even loaded; a head that this cannot read is checked by the library with the same limits.
  const head = readPictureHead(bytes)
  if (head && head.width * head.height > gatewayLimits.picturePixelsMax) return refused(tooManyPixels)
  try {
    return await shrink(bytes, shrinking)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return refused(/pixel limit/i.test(error.message) ? tooManyPixels : 'is damaged or too complex to scale down')
  }
}

const refused = (rule: string): ShrinkResult => ({ kind: 'refused', rule })

const megapixels = (pixels: number): string => `must have at most ${pixels / 1_000_000} megapixels`
const tooManyPixels = megapixels(gatewayLimits.picturePixelsMax)
const tooManyAtOnce = `${megapixels(gatewayLimits.pictureWholePixelsMax)} in a WebP, an interlaced or a progressive picture`
const tooLong = `must be at most ${contentLimits.pixelsPerSideMax} pixels wide and high`

async function shrink(bytes: Uint8Array, { sidePixelsMax, shape }: ShrinkOptions): Promise<ShrinkResult> {
  const sharp = await loadSharp()
  const open = (): Sharp =>
    sharp(bytes, { limitInputPixels: gatewayLimits.picturePixelsMax, failOn: 'error', sequentialRead: true }).timeout({
      seconds: gatewayLimits.pictureWithinSec,
    })
  const metadata = await open().metadata()
  const { width, height } = metadata.autoOrient
  if (Math.max(width, height) > contentLimits.pixelsPerSideMax) return refused(tooLong)
  if (needsAllAtOnce(metadata) && width * height > gatewayLimits.pictureWholePixelsMax) return refused(tooManyAtOnce)
  const side = shape === 'square' ? Math.min(width, height, sidePixelsMax) : sidePixelsMax
  const { data, info } = await open()
    .resize(side, side, { fit: shape === 'square' ? 'cover' : 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels }
  const pixels = await turnUpright(sharp, { data, raw, orientation: metadata.orientation ?? 1 })
  return { kind: 'shrunk', width, height, pixels }
}

/** These are not decoded line by line: the library holds the whole picture. */
const needsAllAtOnce = ({ format, isProgressive }: Metadata): boolean => format === 'webp' || isProgressive

type Lying = { data: Buffer; raw: Raw; orientation: number }

/** Only after shrinking: rotating a large picture needs all of it in memory. */
async function turnUpright(sharp: SharpConstructor, { data, raw, orientation }: Lying): Promise<Sharp> {
  const degrees = [0, 0, 0, 180, 180, 90, 90, 270, 270][orientation] ?? 0
  const isMirrored = [2, 4, 5, 7].includes(orientation)
  if (degrees === 0 && !isMirrored) return sharp(data, { raw })
  const turned = await sharp(data, { raw }).rotate(degrees).raw().toBuffer({ resolveWithObject: true })
  const upright = sharp(turned.data, { raw: { ...raw, width: turned.info.width, height: turned.info.height } })
  return isMirrored ? upright.flop() : upright
}
