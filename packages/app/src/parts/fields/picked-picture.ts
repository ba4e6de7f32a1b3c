// Whether a picture that the person picked is decoded here: somebody else may have made it.
import { appLimits, readPictureHead } from '@postern/protocol'

/** A picture with an unknown size is left to the browser, which may know more formats. */
export async function isDecodable(picked: Blob): Promise<boolean> {
  const start = await picked.slice(0, appLimits.photoHeadBytesMax).arrayBuffer()
  const head = readPictureHead(new Uint8Array(start))
  return !head || head.width * head.height <= appLimits.pickedPixelsMax
}
