// The wave of a voice message: how it is written, read and drawn, and its speeds.
import { contentLimits } from '@postern/protocol'
import { expect, test } from 'vitest'
import { waveOf } from '../src/attaching/voice-wave.ts'
import { barsOf, barsPath } from '../src/bodies/voice-bars.ts'
import { nextSpeed } from '../src/bodies/voice-player.ts'

const loudAt = (count: number, from: number, to: number): Float32Array =>
  Float32Array.from({ length: count }, (_, at) => (at >= from && at < to ? Math.sin(at) * 0.3 : 0.001))

test('[APP-12.19] a wave is high where the recording is loud, whatever the volume', () => {
  const bars = barsOf(waveOf(loudAt(48_000, 0, 24_000)))
  expect(bars).toHaveLength(48)
  expect(bars.slice(0, 24).every(height => height > 0.9)).toBe(true)
  expect(bars.slice(24).every(height => height < 0.1)).toBe(true)
  expect(barsOf(waveOf(loudAt(48_000, 0, 24_000).map(value => value / 10)))).toEqual(bars)
})

test('[APP-12.19] silence has no wave, and any length fits into a message', () => {
  expect(waveOf(new Float32Array(100))).toBeUndefined()
  expect(waveOf(new Float32Array(0))).toBeUndefined()
  for (const length of [1, 47, 48, 49, 1000, 8_000_000]) {
    const wave = waveOf(new Float32Array(length).fill(0.5)) ?? ''
    expect(wave).toMatch(/^[\w-]+$/)
    expect(wave.length).toBeLessThanOrEqual(contentLimits.waveBarsMax)
  }
})

test('[APP-12.19] without a wave there are no bars, and with any signs they stay within their box', () => {
  expect(barsPath(barsOf(undefined))).toBe('')
  for (const height of barsOf('A_z-0!é')) expect(height >= 0.08 && height <= 1).toBe(true)
})

test('[APP-12.19] the speeds follow each other', () => {
  expect([1, 1.5, 2, 7].map(nextSpeed)).toEqual([1.5, 2, 1, 1])
})
