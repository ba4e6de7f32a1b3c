// PNG pictures for tests: honest ones, and ones that take all memory when somebody decodes them.
import { crc32, deflateSync } from 'node:zlib'

/** A PNG that claims a size, with almost no content. */
export const pngThatClaims = (width: number, height: number): Buffer =>
  png({ width, height, bits: 8, colours: 2 }, Buffer.alloc(1000))

/** A whole PNG, all black with one bit per pixel: some kilobytes that decode to gigabytes. */
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
