// The rules for pictures that are shown on arrival, such as avatars and previews: small, still, and in a known format.
import { toBase64 } from '../bytes.ts'
import { contentLimits } from '../limits.ts'
import { type PictureHead, readPictureHead } from '../picture-head.ts'
import type { Fault } from './kept.ts'

const { smallPictureSidePixelsMax } = contentLimits

/** A few kilobytes can decode to gigabytes: a decoder allocates what the head of the file asks for. */
export const smallPictureFault = (picture: Uint8Array): Fault => headFault(readPictureHead(picture))

function headFault(head: PictureHead | undefined): Fault {
  if (!head || head.type === 'image/gif') return 'must be a PNG, JPEG or WebP picture'
  if (head.moves) return 'must be a picture with one frame'
  return Math.max(head.width, head.height) > smallPictureSidePixelsMax
    ? `must be at most ${smallPictureSidePixelsMax} pixels wide and high`
    : undefined
}

/** A picture of a group is sent with its settings. */
export function groupPictureFault(picture: Uint8Array): Fault {
  const { groupPictureBytesMax: max } = contentLimits
  return picture.length > max ? `must have at most ${max} bytes` : smallPictureFault(picture)
}

/** The data: URL of a picture that keeps the rules above. */
export const pictureUrl = (picture: Uint8Array): string =>
  `data:${readPictureHead(picture)?.type};base64,${toBase64(picture)}`

const PICTURE_URL = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/

/** Most heads are shorter: a screen checks every avatar that it draws. */
const HEAD_CHARS = 2048

/** Whether a data: URL is such a picture, and of the type that it names. */
export function isSmallPictureUrl(url: string): boolean {
  const [, type, base64 = ''] = url.match(PICTURE_URL) ?? []
  if (!type || base64.length % 4 !== 0) return false
  const head = headIn(base64.slice(0, HEAD_CHARS)) ?? headIn(base64)
  return head?.type === type && headFault(head) === undefined
}

const PREFIX_CHARS_MAX = 'data:image/jpeg;base64,'.length
const groupPictureUrlCharsMax = PREFIX_CHARS_MAX + 4 * Math.ceil(contentLimits.groupPictureBytesMax / 3)

export const groupPictureUrlFault = (url: string): Fault =>
  url.length <= groupPictureUrlCharsMax && isSmallPictureUrl(url) ? undefined : 'must be a small picture'

const headIn = (base64: string): PictureHead | undefined =>
  readPictureHead(Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)))
