// Pictures for tests.
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

export const plain = (width: number, height: number, background = '#ff8800') =>
  sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false })

/** Four quarters: red, green / blue, white. */
export async function quarters(width: number, height: number) {
  const quarter = async (background: string, at: { left: number; top: number }) => ({
    input: await plain(width / 2, height / 2, background)
      .png()
      .toBuffer(),
    ...at,
  })
  return plain(width, height, '#ff0000').composite([
    await quarter('#00ff00', { left: width / 2, top: 0 }),
    await quarter('#0000ff', { left: 0, top: height / 2 }),
    await quarter('#ffffff', { left: width / 2, top: height / 2 }),
  ])
}

/** A PNG that claims to be so large, with next to nothing in it. */
export const pngThatClaims = (width: number, height: number): Buffer =>
  png({ width, height, bits: 8, colours: 2 }, Buffer.alloc(1000))

/** A whole PNG, all black in one bit a pixel: quickly made, however much comes out of it. */
export const blackPng = (width: number, height: number): Buffer =>
  png({ width, height, bits: 1, colours: 0 }, Buffer.alloc(height * (1 + Math.ceil(width / 8))))

type Head = { width: number; height: number; bits: number; colours: number }

function png({ width, height, bits, colours }: Head, lines: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([bits, colours, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type), data])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
