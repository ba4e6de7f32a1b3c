// A small picture that shows something, made without a file: hills under an evening sky.
import { crc32, deflateSync } from 'node:zlib'

type Size = { width: number; height: number }

/** As PNG. */
export function samplePhoto({ width, height }: Size): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(colourAt(x / width, y / height), y * (width * 3 + 1) + 1 + x * 3)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits, red, green and blue.
  header.set([8, 2], 8)
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const parts = [signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat(parts))
}

function colourAt(x: number, y: number): [number, number, number] {
  const far = 0.62 + 0.1 * Math.sin(x * 7 + 1)
  const near = 0.78 + 0.08 * Math.sin(x * 11)
  if (y > near) return [38, 58, 56]
  if (y > far) return [74, 96, 102]
  return [236 - Math.round(90 * (1 - y)), 150 + Math.round(60 * y), 130 + Math.round(70 * (1 - y))]
}

function chunk(name: string, bytes: Buffer): Buffer {
  const whole = Buffer.alloc(bytes.length + 12)
  whole.writeUInt32BE(bytes.length, 0)
  whole.write(name, 4, 'latin1')
  whole.set(bytes, 8)
  whole.writeUInt32BE(crc32(whole.subarray(4, bytes.length + 8)), bytes.length + 8)
  return whole
}
