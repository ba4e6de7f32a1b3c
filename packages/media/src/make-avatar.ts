// Makes small square pictures of accounts and groups from an upload: JPEG, PNG or WebP by its bytes, upright, without its metadata.
import { CodedError, contentLimits, gatewayLimits } from '@postern/protocol'
import { encodeWithin } from './encode-within.ts'
import { decoding } from './picture-library.ts'
import { shrinkPicture } from './shrink-picture.ts'

export const makeAvatar = (bytes: Uint8Array): Promise<Uint8Array> =>
  makeSquare(bytes, { sidePixelsMax: gatewayLimits.avatarSidePixelsMax, bytesMax: contentLimits.avatarBytesMax })

export const makeGroupPicture = (bytes: Uint8Array): Promise<Uint8Array> =>
  makeSquare(bytes, {
    sidePixelsMax: gatewayLimits.groupPictureSidePixelsMax,
    bytesMax: contentLimits.groupPictureBytesMax,
  })

type SquareLimits = { sidePixelsMax: number; bytesMax: number }

async function makeSquare(bytes: Uint8Array, { sidePixelsMax, bytesMax }: SquareLimits): Promise<Uint8Array> {
  return await decoding.run(async () => {
    const small = await shrinkPicture(bytes, { sidePixelsMax, shape: 'square' })
    if (small.kind === 'refused') throw new CodedError('bad-field', { field: 'picture', rule: small.rule })
    return await encodeWithin(small.pixels, bytesMax)
  })
}
