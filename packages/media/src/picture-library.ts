// The library that decodes pictures, limited to the three accepted formats, and used for one picture at a time.
import { SerialQueue } from '@postern/protocol'
import type { SharpConstructor } from 'sharp'

let loaded: Promise<SharpConstructor> | undefined

/** Loaded for the first picture: most processes never see one, and the library takes time and memory. */
export async function loadSharp(): Promise<SharpConstructor> {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    // Every other reader stays blocked: each is code that would process bytes of strangers.
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

/** A decoded picture may take much memory, so there is never more than one. */
export const decoding = new SerialQueue()
