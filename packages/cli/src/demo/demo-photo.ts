// A picture for the demo: an evening by the water, with colours that depend on a number, as a PNG file.
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 480
const HEIGHT = 320
const HORIZON = 0.62
const SUN = { x: 0.5, y: 0.52, radius: 0.16 }

type Colour = readonly [red: number, green: number, blue: number]

/** The same number gives the same picture: a retry under the same key must not differ. */
export function drawPhoto(number: number): Blob {
  const warmth = (number % 7) / 6
  // Each line begins with the number of its filter: none.
  const lines = Buffer.alloc(HEIGHT * (1 + 3 * WIDTH))
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) lines.set(colourAt(x / WIDTH, y / HEIGHT, warmth), y * (1 + 3 * WIDTH) + 1 + 3 * x)
  return new Blob([pngOf(lines)], { type: 'image/png' })
}

function colourAt(x: number, y: number, warmth: number): Colour {
  const isWater = y > HORIZON
  // The water shows the sky upside down, a little darker and in waves.
  const wave = isWater ? Math.sin(y * 260) * 0.01 : 0
  const height = isWater ? 2 * HORIZON - y : y
  const fromSun = Math.hypot((x + wave - SUN.x) * (WIDTH / HEIGHT), height - SUN.y)
  const light = fromSun < SUN.radius ? 1 : Math.exp(-3 * (fromSun - SUN.radius)) * 0.75
  const shade = isWater ? 0.8 : 1
  const mix = (evening: number, sun: number) => Math.round((evening + (sun - evening) * light) * shade)
  return [mix(60 + 40 * warmth, 255), mix(50, 190 - 40 * warmth), mix(110 - 50 * warmth, 110)]
}

function pngOf(lines: Buffer): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  // Eight bits for each of three colours.
  head.set([8, 2], 8)
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
