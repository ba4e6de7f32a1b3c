// Makes a small square picture from an upload: JPEG, PNG or WebP by its bytes, upright, without its metadata.
import { CodedError, contentLimits, gatewayLimits } from '@postern/protocol'
import { encodeWithin } from './encode-within.ts'
import { decoding } from './picture-library.ts'
import { shrinkPicture } from './shrink-picture.ts'

export async function makeAvatar(bytes: Uint8Array): Promise<Uint8Array> {
  return await decoding.run(async () => {
    const small = await shrinkPicture(bytes, { sidePixelsMax: gatewayLimits.avatarSidePixelsMax, shape: 'square' })
    if (small.kind === 'refused') throw new CodedError('bad-field', { field: 'picture', rule: small.rule })
    return await encodeWithin(small.pixels, contentLimits.avatarBytesMax)
  })
}
