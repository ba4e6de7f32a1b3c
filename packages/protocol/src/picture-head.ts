// Reads the type and the size of a picture from the first bytes of its file, without decoding anything.

export type PictureHead = {
  type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  /** In pixels, as stored: a camera may note that the picture is rotated. */
  width: number
  height: number
  /** The file may hold more than one frame. */
  moves: boolean
}

/**
 * Undefined for other formats, and for every file in which a decoder might find another size than this function does.
 * The time is at most linear in the bytes, and no byte is read twice.
 */
export function readPictureHead(bytes: Uint8Array): PictureHead | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const head = readPng(view) ?? readJpeg(view) ?? readWebp(view) ?? readGif(view)
    return head && head.width > 0 && head.height > 0 ? head : undefined
  } catch (error) {
    // A DataView throws it when the bytes end too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** A text in which every character is a byte. */
function says(view: DataView, at: number, text: string): boolean {
  if (view.byteLength < at + text.length) return false
  for (let index = 0; index < text.length; index++)
    if (view.getUint8(at + index) !== text.charCodeAt(index)) return false
  return true
}

/** IHDR comes first. An acTL before the pixels says that there are several frames. */
function readPng(view: DataView): PictureHead | undefined {
  if (!says(view, 0, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')) return undefined
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  for (let at = 33; ; at += 12 + view.getUint32(at)) {
    if (says(view, at + 4, 'acTL')) return { type: 'image/png', width, height, moves: true }
    if (says(view, at + 4, 'IDAT')) return { type: 'image/png', width, height, moves: false }
  }
}

const JPEG_FRAME = { first: 0xc0, last: 0xcf, others: [0xc4, 0xc8, 0xcc] }
const JPEG_SCAN = 0xda
/** From here on segments have a length, but for those that belong to a scan. */
const JPEG_SEGMENT_FIRST = 0xc0
const JPEG_BARE = { first: 0xd0, last: 0xd9 }

/** The size is in the frame, after tables and notes and before the first scan. */
function readJpeg(view: DataView): PictureHead | undefined {
  if (!says(view, 0, '\xff\xd8\xff')) return undefined
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(++at)
    if (marker === 0xff) continue
    const isBare = marker < JPEG_SEGMENT_FIRST || (marker >= JPEG_BARE.first && marker <= JPEG_BARE.last)
    if (isBare || marker === JPEG_SCAN) return undefined
    const isFrame = marker <= JPEG_FRAME.last && !JPEG_FRAME.others.includes(marker)
    if (isFrame)
      return { type: 'image/jpeg', width: view.getUint16(at + 6), height: view.getUint16(at + 4), moves: false }
    const length = view.getUint16(at + 1)
    if (length < 2) return undefined
    at += 1 + length
  }
}

/** The first chunk has the size: that of the canvas, which the picture must fill, or the picture's own. */
function readWebp(view: DataView): PictureHead | undefined {
  if (!says(view, 0, 'RIFF') || !says(view, 8, 'WEBPVP8')) return undefined
  const type = 'image/webp'
  if (says(view, 15, 'X')) {
    const pixelsAt = (at: number): number => 1 + view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_0000
    return { type, width: pixelsAt(24), height: pixelsAt(27), moves: (view.getUint8(20) & 2) !== 0 }
  }
  if (says(view, 15, 'L') && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return { type, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff), moves: false }
  }
  if (says(view, 15, ' ') && (view.getUint8(20) & 1) === 0 && says(view, 23, '\x9d\x01\x2a'))
    return { type, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, moves: false }
  return undefined
}

/** Some decoders enlarge the screen to its first frame. How many frames follow is not counted. */
function readGif(view: DataView): PictureHead | undefined {
  if (!says(view, 0, 'GIF87a') && !says(view, 0, 'GIF89a')) return undefined
  const [width, height, flags] = [view.getUint16(6, true), view.getUint16(8, true), view.getUint8(10)]
  let at = 13 + (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  while (view.getUint8(at) === 0x21) {
    for (at += 2; view.getUint8(at) !== 0; at += 1 + view.getUint8(at));
    at += 1
  }
  if (view.getUint8(at) !== 0x2c) return undefined
  const reaches = (start: number, size: number): number => view.getUint16(start, true) + view.getUint16(size, true)
  return {
    type: 'image/gif',
    width: Math.max(width, reaches(at + 1, at + 5)),
    height: Math.max(height, reaches(at + 3, at + 7)),
    moves: true,
  }
}
